//! Services outside the repository that a piece of work needs: payment, mail, storage and the like.
//!
//! - [`Service`] is what a user adds; `table` holds those that windlass knows.
//! - `words` finds their names in prose and in names, on word boundaries.
//! - `credentials` looks for test credentials in the project's example files.
//! - `manifest` reads the names of dependencies out of the files that package managers know.
//!
//! What is found is advice: it goes into prompts and to people, and decides nothing.

mod credentials;
mod manifest;
mod table;
mod words;

pub use credentials::{is_example, with_credentials};
pub use manifest::{ManifestError, is_manifest};

use serde::{Deserialize, Serialize};

use crate::item::Item;

use table::Known;
use words::{Pattern, Words};

/// What finds call the words of a story.
pub const STORY: &str = "story";

/// A service that a user's configuration adds. Its first keyword is its name; one with the name of
/// a service that windlass knows replaces that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// What kind of service it is, such as `payment`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Words that name it.
    pub keywords: Vec<String>,
    /// How to work and test without the real one.
    pub mock_strategy: String,
    /// Variables that usually hold its secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
}

/// A service that something needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `deps scan --json`")]
pub struct Find {
    #[serde(rename = "type")]
    pub kind: String,
    /// The name of the service.
    pub keyword: String,
    /// Where it was found: `story`, or the path of a manifest.
    pub source: String,
    pub mock_strategy: String,
    pub needs_secrets: bool,
    /// Variables that usually hold its secrets.
    pub secrets: Vec<String>,
    /// Those that the project's example files have a value for, each with its file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub test_credentials: Vec<String>,
    /// What to ask a person, where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
}

/// The services to look for: those that windlass knows, and a user's own.
#[derive(Debug)]
pub struct Services {
    sought: Vec<Sought>,
}

/// One service, ready to be looked for.
#[derive(Debug)]
struct Sought {
    find: Find,
    /// Words that always name it.
    certain: Vec<Pattern>,
    /// Words that name it only beside one of `near`.
    vague: Vec<Pattern>,
    near: Vec<&'static str>,
    /// Words beside which nothing names it.
    never_near: Vec<&'static str>,
    /// Whole names of packages that speak to it and do not hold its name.
    packages: Vec<&'static str>,
    /// Whether it counts only where no service of its kind is named.
    generic: bool,
}

impl Services {
    /// Makes the list of services to look for.
    pub fn new(own: &[Service]) -> Self {
        let named = |known: &Known| {
            let name = |service: &Service| service.keywords.first().map(|word| word.to_lowercase());
            own.iter().any(|service| name(service).as_deref() == Some(known.name))
        };
        let known = table::ALL.iter().filter(|known| !named(known)).map(Sought::known);
        Self { sought: known.chain(own.iter().filter_map(Sought::own)).collect() }
    }

    /// Looks into text; `source` is what finds call it.
    pub fn in_text(&self, text: &str, source: &str) -> Vec<Find> {
        let words = Words::of(text);
        let found: Vec<&Sought> =
            self.sought.iter().filter(|sought| sought.is_in(&words)).collect();
        let said = found.iter().filter(|sought| !sought.is_said_better(&found));
        sorted(said.map(|sought| sought.found_in(source)).collect())
    }

    /// Looks into the words of an item: title, body, and what makes it a story.
    pub fn in_item(&self, item: &Item) -> Vec<Find> {
        let story = item.story.as_ref();
        let criteria = story.iter().flat_map(|story| &story.criteria).map(|one| one.text.as_str());
        let files = story.iter().flat_map(|story| &story.files).map(String::as_str);
        let design = story.and_then(|story| story.design.as_deref());
        let parts = [item.title.as_str(), item.body.as_str()].into_iter();
        let parts = parts.chain(criteria).chain(design).chain(files);
        // Words of different parts are never beside each other.
        sorted(parts.flat_map(|part| self.in_text(part, STORY)).collect())
    }

    /// Looks into the names of the dependencies that a manifest lists.
    ///
    /// # Errors
    /// The file is not what its name says.
    pub fn in_manifest(&self, path: &str, text: &str) -> Result<Vec<Find>, ManifestError> {
        let names = manifest::dependencies(path, text)?;
        let mut finds = Vec::new();
        for name in names {
            let words = Words::of(&name);
            let lower = name.to_lowercase();
            let is_meant = |sought: &&Sought| {
                sought.packages.contains(&lower.as_str()) || sought.is_in(&words)
            };
            finds.extend(self.sought.iter().filter(is_meant).map(|sought| sought.found_in(path)));
        }
        Ok(sorted(finds))
    }
}

/// Puts finds into their order, each once.
pub fn sorted(mut finds: Vec<Find>) -> Vec<Find> {
    finds.sort();
    finds.dedup();
    finds
}

impl Sought {
    fn known(known: &Known) -> Self {
        let patterns = |words: &[&str]| words.iter().copied().filter_map(Pattern::of).collect();
        Self {
            find: Find {
                kind: known.kind.to_owned(),
                keyword: known.name.to_owned(),
                source: String::new(),
                mock_strategy: known.mock_strategy.to_owned(),
                needs_secrets: known.needs_secrets,
                secrets: known.secrets.iter().map(|&name| name.to_owned()).collect(),
                test_credentials: Vec::new(),
                ask: None,
            },
            certain: patterns(known.certain),
            vague: patterns(known.vague),
            near: known.near.to_vec(),
            never_near: known.never_near.to_vec(),
            packages: known.packages.to_vec(),
            generic: known.generic,
        }
    }

    fn own(service: &Service) -> Option<Self> {
        let find = Find {
            kind: service.kind.clone(),
            keyword: service.keywords.first()?.clone(),
            source: String::new(),
            mock_strategy: service.mock_strategy.clone(),
            needs_secrets: !service.secrets.is_empty(),
            secrets: service.secrets.clone(),
            test_credentials: Vec::new(),
            ask: None,
        };
        let certain = service.keywords.iter().filter_map(|word| Pattern::of(word)).collect();
        Some(Self {
            find,
            certain,
            vague: Vec::new(),
            near: Vec::new(),
            never_near: Vec::new(),
            packages: Vec::new(),
            generic: false,
        })
    }

    /// Whether a service that is named makes this one superfluous; a key is some service's key.
    fn is_said_better(&self, found: &[&Self]) -> bool {
        let any_kind = self.find.kind == "third_party_api";
        let better =
            |other: &&Self| !other.generic && (any_kind || other.find.kind == self.find.kind);
        self.generic && found.iter().any(better)
    }

    fn is_in(&self, words: &Words) -> bool {
        let clear = |at: usize| !words.is_near(at, &self.never_near);
        let certain = || words.places(&self.certain).any(clear);
        let vague =
            || words.places(&self.vague).any(|at| clear(at) && words.is_near(at, &self.near));
        certain() || vague()
    }

    fn found_in(&self, source: &str) -> Find {
        Find { source: source.to_owned(), ..self.find.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keywords(text: &str) -> Vec<String> {
        Services::new(&[]).in_text(text, STORY).into_iter().map(|find| find.keyword).collect()
    }

    #[test]
    fn every_service_is_found_by_its_name_in_a_sentence() {
        for (text, keyword) in [
            ("Pay with Stripe at checkout", "stripe"),
            ("refunds go through PayPal", "paypal"),
            ("a `BraintreeGateway` is injected", "braintree"),
            ("send the mail by SendGrid.", "sendgrid"),
            ("MAILGUN_DOMAIN is read", "mailgun"),
            ("an SMTPClient sends it", "smtp"),
            ("sign in with OAuth2", "oauth"),
            ("store uploads in S3", "s3"),
            ("an `@aws-sdk/client-s3` call", "s3"),
            ("Azure Blob Storage holds them", "azure blob"),
            ("put it into a GCS bucket", "gcs"),
            ("texts are sent by Twilio", "twilio"),
            ("texts are sent by vonage", "vonage"),
            ("summarise it with OpenAI", "openai"),
            ("ask Anthropic's API", "anthropic"),
            ("the RDS instance", "rds"),
            ("kept in Cosmos DB", "cosmosdb"),
            ("the Atlas cluster", "atlas"),
            ("a Kafka topic", "kafka"),
            ("published to RabbitMQ", "rabbitmq"),
            ("an Azure Service Bus queue", "service bus"),
            ("rates of a third-party API", "third-party api"),
            ("Sign in with Google", "google sign-in"),
            ("log in by a Facebook account", "facebook sign-in"),
            ("staff use SSO", "sso"),
            ("an Azure AD tenant", "azure sign-in"),
            ("pictures are kept by Cloudinary", "cloudinary"),
            ("ask GPT-4 for a title", "openai"),
            ("a summary by the Claude model", "anthropic"),
            ("a push notification when it ships", "push notifications"),
            ("customers pay at the checkout", "checkout"),
            ("Customers can reset their password by mail", "mail"),
            ("members upload files", "file upload"),
            ("it needs an API key", "api key"),
        ] {
            assert_eq!(keywords(text), [keyword], "{text}");
        }
    }

    #[test]
    fn no_part_of_a_word_and_no_other_meaning_raises_an_alarm() {
        for text in [
            "the s3cr3t of pinstripes and stripers",
            "an atlas of maps",
            "a paypaling of oauthority",
            "It depends on S3, the upload story",
            "after S3 is done",
            "zebra stripe rows in the table",
            "Franz Kafka wrote it",
            "send grid data to the mail gun page",
            "GCs pause the program",
            "an rds file",
            "the bus service",
            "git checkout of a branch",
            "Claude wrote it in France",
            "the address field of the email form",
            "a Google font",
        ] {
            assert_eq!(keywords(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn words_of_different_parts_are_not_beside_each_other() {
        assert_eq!(keywords("The atlas of maps.\n\nThe database is small."), [""; 0]);
        assert_eq!(keywords("The atlas is\nour database."), ["atlas"]);
    }

    #[test]
    fn finds_are_sorted_and_each_is_there_once() {
        let text = "Twilio, then Stripe, stripe-python, twilio and Stripe again";
        assert_eq!(keywords(text), ["stripe", "twilio"]);
    }

    #[test]
    fn a_users_service_is_added_or_replaces_a_known_one() {
        let own = |keyword: &str| Service {
            kind: "payment".to_owned(),
            keywords: vec![keyword.to_owned(), "acme money".to_owned()],
            mock_strategy: "the fake in tools/acme".to_owned(),
            secrets: vec!["ACME_KEY".to_owned()],
        };
        let found = Services::new(&[own("AcmePay")]).in_text("by acmepay or Acme-Money", STORY);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].keyword.as_str(), found[0].needs_secrets), ("AcmePay", true));
        let found = Services::new(&[own("Stripe")]).in_text("by stripe", STORY);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].mock_strategy, "the fake in tools/acme");
    }
}
