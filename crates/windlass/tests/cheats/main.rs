//! Agents that cheat, each in its own way. None gets a step done that is not done.

mod attributes;
mod borrowed;
mod branches;
mod clones;
mod deciding;
mod files;
mod found;
mod git_settings;
mod held;
mod hiding;
mod items;
mod judges;
mod keys;
mod leftovers;
mod lingering;
mod outside;
mod papers;
mod pins;
mod programs;
mod publish;
mod reports;
mod spokes;
mod stock;
mod support;
mod tdd;
mod waived;
