//! The command line as people and programs use it: exit codes, shapes, messages.

mod agents;
mod bad_input;
mod configuration;
mod contracts;
mod damage;
mod decisions;
mod definition;
mod doctor;
mod driving;
mod help;
mod importing;
mod init;
mod issues;
mod items;
mod measured;
mod notify;
mod pipes;
mod places;
mod replay;
mod report;
mod screens;
mod support;
mod teams;
mod trash;
mod workflows;
