//! Which turn answers a request.

use std::collections::BTreeMap;

use regex::Regex;

use super::acts::Words;
use super::log::Request;
use super::reply::{Block, Reply};
use super::script::{Lane, Part, Script};
use super::turn::{Act, Turn};

/// How often lanes and their turns were asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    lanes: BTreeMap<usize, usize>,
    turns: BTreeMap<(usize, usize), usize>,
}

impl Counts {
    /// The turns that were never asked for, by lane and number.
    pub(super) fn unplayed(&self, script: &Script) -> Vec<(String, usize)> {
        let lanes = script.lanes.iter().enumerate();
        let all = lanes.flat_map(|(index, lane)| (0..lane.turns.len()).map(move |n| (index, n)));
        let unplayed = all.filter(|key| !self.turns.contains_key(key));
        unplayed.map(|(index, turn)| (script.lanes[index].name.clone(), turn)).collect()
    }
}

/// The lane and the turn for a request.
#[derive(Debug)]
pub(super) struct Chosen<'a> {
    pub(super) lane: &'a Lane,
    pub(super) number: usize,
    pub(super) turn: &'a Turn,
}

pub(super) fn choose<'a>(
    script: &'a Script,
    request: &Request,
    counts: &mut Counts,
) -> Result<Chosen<'a>, String> {
    let takes = |lane: &Lane| {
        let holds = |(part, pattern): &(Part, Regex)| pattern.is_match(&request.part(*part));
        lane.conditions.iter().all(holds) && turn_of(lane, request).is_some()
    };
    let Some(index) = script.lanes.iter().position(takes) else {
        return Err(format!(
            "no lane takes this request; its last user message: {:?}",
            beginning(&request.conversation.last_user())
        ));
    };
    let lane = &script.lanes[index];
    let asked = counts.lanes.entry(index).or_default();
    let before = *asked;
    *asked += 1;
    if let Some(turn) = lane.first.get(before) {
        return Ok(Chosen { lane, number: turn_of(lane, request).unwrap_or(0), turn });
    }
    let number =
        if lane.counted { before - lane.first.len() } else { turn_of(lane, request).unwrap_or(0) };
    let asked = counts.turns.entry((index, number)).or_default();
    let before = *asked;
    *asked += 1;
    let Some(turn) = lane.turns.get(number).or(lane.otherwise.as_ref()) else {
        return Err(format!(
            "lane `{}` ends before turn {number}; the last user message: {:?}, the last tool \
             results: {:?}",
            lane.name,
            beginning(&request.conversation.last_user()),
            request.conversation.last_results()
        ));
    };
    let turn = turn.first.get(before).unwrap_or(turn);
    Ok(Chosen { lane, number, turn })
}

/// The turn that the request is at; none when the lane's prompt is not in it.
fn turn_of(lane: &Lane, request: &Request) -> Option<usize> {
    match &lane.told {
        Some(told) => request.conversation.turns_since(told),
        None => Some(request.assistant_turns()),
    }
}

/// A turn's acts in the words of the request's protocol.
pub(super) fn reply(
    lane: &Lane,
    turn: &Turn,
    acts: &[Act],
    request: &Request,
    number: usize,
) -> Result<Reply, String> {
    let captured = captured(lane, request);
    let placed = lane.place.as_ref().map(|place| place.to_string_lossy().into_owned());
    let folder = placed.or_else(|| request.folder());
    let words = Words {
        protocol: request.protocol,
        tools: request.tools(),
        folder: folder.as_deref(),
        captured: &captured,
    };
    let blocks = acts.iter().map(|act| words.block(act)).collect::<Result<Vec<Block>, _>>()?;
    let (input_tokens, output_tokens) = turn.usage;
    let model = request.model().to_owned();
    Ok(Reply { number, model, blocks, input_tokens, output_tokens })
}

fn captured(lane: &Lane, request: &Request) -> BTreeMap<String, String> {
    let mut words = BTreeMap::new();
    for (part, pattern) in lane.conditions.iter().chain(&lane.captures) {
        let text = request.part(*part);
        let Some(found) = pattern.captures(&text) else { continue };
        for (index, name) in pattern.capture_names().enumerate().skip(1) {
            let Some(group) = found.get(index) else { continue };
            words.insert(index.to_string(), group.as_str().to_owned());
            if let Some(name) = name {
                words.insert(name.to_owned(), group.as_str().to_owned());
            }
        }
    }
    words
}

fn beginning(text: &str) -> String {
    text.chars().take(400).collect()
}
