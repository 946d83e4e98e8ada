//! Figures, printed on demand: `cargo nextest run --release --run-ignored only -E 'test(speed::)'`.

use std::time::Instant;

use windlass_engine::store::{NewRecord, Seq, Store};

use crate::support::*;

#[test]
#[ignore = "prints figures that mean something in a release build only"]
fn a_hundred_thousand_records() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let id = run_id();
    let mut head = begin(&mut store, &id);
    let payload = serde_json::json!({ "text": "x".repeat(190) });
    for _ in 0..100 {
        let mut next = decision(&id, head.seq, 0);
        next.records = (0..1000).map(|_| NewRecord::new("noted", &payload).unwrap()).collect();
        head = store.append(&next).unwrap();
    }
    let length = all(&store, &id)[500].bytes().len();

    let begun = Instant::now();
    let read = store.records(&id, Seq(1)).unwrap().map(Result::unwrap).count();
    println!("read and verified {read} records of {length} bytes: {:?}", begun.elapsed());
    let begun = Instant::now();
    assert_eq!(store.verify_chain(&id).unwrap().problems, []);
    println!("audited them: {:?}", begun.elapsed());

    let begun = Instant::now();
    for _ in 0..1000 {
        head = append(&mut store, &id, head.seq, 3).unwrap();
    }
    println!("one append of three records, synced: {:?}", begun.elapsed() / 1000);
    drop(store);
    let begun = Instant::now();
    drop(Store::open(dir.path()).unwrap());
    println!("opened and closed: {:?}", begun.elapsed());
}
