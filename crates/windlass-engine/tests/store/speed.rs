//! Figures, printed on demand: `cargo nextest run --release --run-ignored only -E 'test(speed::)'`.

use std::time::{Duration, Instant};

use windlass_engine::store::{NewRecord, Seq, Store};

use crate::support::*;

/// The time this thread has computed, which other work on the machine does not lengthen.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap()
}

fn took(begun: Instant, cpu: Duration) -> String {
    format!("{:?} ({:?} of computing)", begun.elapsed(), cpu_time() - cpu)
}

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

    let (begun, cpu) = (Instant::now(), cpu_time());
    let read = store.records(&id, Seq(1)).unwrap().map(Result::unwrap).count();
    println!("read and verified {read} records of {length} bytes: {}", took(begun, cpu));
    let (begun, cpu) = (Instant::now(), cpu_time());
    assert_eq!(store.verify_chain(&id).unwrap().problems, []);
    println!("audited them: {}", took(begun, cpu));

    let (begun, cpu) = (Instant::now(), cpu_time());
    for _ in 0..1000 {
        head = append(&mut store, &id, head.seq, 3).unwrap();
    }
    println!("a thousand appends of three records, each synced: {}", took(begun, cpu));
    drop(store);
    let (begun, cpu) = (Instant::now(), cpu_time());
    drop(Store::open(dir.path()).unwrap());
    println!("opened and closed: {}", took(begun, cpu));
}
