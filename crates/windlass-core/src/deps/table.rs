//! The services that windlass knows.

/// A service that windlass knows.
pub(super) struct Known {
    pub(super) kind: &'static str,
    /// What finds call it.
    pub(super) name: &'static str,
    /// Words that name it wherever they stand.
    pub(super) certain: &'static [&'static str],
    /// Words that mean something else as well: they count beside one of `near`.
    pub(super) vague: &'static [&'static str],
    pub(super) near: &'static [&'static str],
    /// Words beside which the others mean something else.
    pub(super) never_near: &'static [&'static str],
    /// Packages that speak to it, by their whole name in a manifest.
    pub(super) packages: &'static [&'static str],
    pub(super) mock_strategy: &'static str,
    pub(super) needs_secrets: bool,
    pub(super) secrets: &'static [&'static str],
    /// Whether it stands for services of its kind that nobody names: it counts only beside none of them.
    pub(super) generic: bool,
}

const SANDBOX: &str = "the provider's sandbox, with test keys";
const CATCHER: &str = "a local mail catcher that accepts everything and sends nothing";
const TEST_MODE: &str = "the provider's test mode, which sends nothing";
const RECORDED: &str = "recorded answers, replayed in tests";
const CONTAINER: &str = "a local container of the same kind";

/// Words beside which the name of a company means its accounts.
const SIGN_IN: [&str; 8] =
    ["login", "log", "signin", "sign", "signup", "oauth", "account", "authentication"];

/// Words beside which a name means a model.
const MODEL: [&str; 12] = [
    "api",
    "model",
    "models",
    "llm",
    "ai",
    "prompt",
    "prompts",
    "tokens",
    "summarise",
    "summarize",
    "completion",
    "embedding",
];

/// What most services have.
const PLAIN: Known = Known {
    kind: "",
    name: "",
    certain: &[],
    vague: &[],
    near: &[],
    never_near: &[],
    packages: &[],
    mock_strategy: "",
    needs_secrets: true,
    secrets: &[],
    generic: false,
};

const PROVIDER: &str = "test credentials of the provider, or a local identity provider";

pub(super) static ALL: [Known; 31] = [
    Known {
        kind: "payment",
        name: "stripe",
        certain: &["stripe"],
        never_near: &["row", "rows", "zebra", "css", "pattern", "raid", "flag"],
        mock_strategy: SANDBOX,
        secrets: &["STRIPE_SECRET_KEY", "STRIPE_PUBLISHABLE_KEY", "STRIPE_WEBHOOK_SECRET"],
        ..PLAIN
    },
    Known {
        kind: "payment",
        name: "paypal",
        certain: &["paypal"],
        mock_strategy: SANDBOX,
        secrets: &["PAYPAL_CLIENT_ID", "PAYPAL_CLIENT_SECRET"],
        ..PLAIN
    },
    Known {
        kind: "payment",
        name: "braintree",
        certain: &["braintree"],
        mock_strategy: SANDBOX,
        secrets: &["BRAINTREE_MERCHANT_ID", "BRAINTREE_PUBLIC_KEY", "BRAINTREE_PRIVATE_KEY"],
        ..PLAIN
    },
    Known {
        kind: "email",
        name: "sendgrid",
        certain: &["sendgrid"],
        mock_strategy: CATCHER,
        secrets: &["SENDGRID_API_KEY"],
        ..PLAIN
    },
    Known {
        kind: "email",
        name: "mailgun",
        certain: &["mailgun"],
        mock_strategy: CATCHER,
        secrets: &["MAILGUN_API_KEY", "MAILGUN_DOMAIN"],
        ..PLAIN
    },
    Known {
        kind: "email",
        name: "smtp",
        certain: &["smtp", "smtps", "nodemailer", "smtplib"],
        packages: &["lettre", "aiosmtplib", "mail", "phpmailer/phpmailer", "mailkit"],
        mock_strategy: CATCHER,
        secrets: &["SMTP_HOST", "SMTP_USERNAME", "SMTP_PASSWORD"],
        ..PLAIN
    },
    Known {
        kind: "oauth",
        name: "oauth",
        certain: &["oauth", "oauth2", "oidc", "openid connect", "auth0", "nextauth", "omniauth"],
        packages: &["passport", "next-auth", "openidconnect", "authlib", "ueberauth"],
        mock_strategy: PROVIDER,
        secrets: &["OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET"],
        ..PLAIN
    },
    Known {
        kind: "storage",
        name: "s3",
        certain: &[
            "aws s3",
            "amazon s3",
            "s3 bucket",
            "s3 buckets",
            "sdk s3",
            "client s3",
            "boto3",
        ],
        // Stories are called S3, too.
        vague: &["s3"],
        near: &[
            "aws",
            "amazon",
            "bucket",
            "buckets",
            "presigned",
            "minio",
            "storage",
            "store",
            "stored",
            "stores",
            "upload",
            "uploads",
            "uploaded",
            "download",
            "objects",
        ],
        never_near: &["depends", "dependency", "dependencies", "story", "stories"],
        packages: &["aioboto3", "s3fs", "rust-s3", "object_store", "@aws-sdk/lib-storage"],
        mock_strategy: "minio in a local container",
        secrets: &["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"],
        ..PLAIN
    },
    Known {
        kind: "storage",
        name: "azure blob",
        certain: &["azure blob", "azure blobs", "azure storage blob", "blob storage", "azurite"],
        packages: &["azure_storage_blobs", "azure-storage-blob", "azure.storage.blobs"],
        mock_strategy: "azurite in a local container",
        secrets: &["AZURE_STORAGE_CONNECTION_STRING"],
        ..PLAIN
    },
    Known {
        kind: "storage",
        name: "gcs",
        certain: &["google cloud storage", "cloud google com go storage"],
        vague: &["gcs"],
        near: &["google", "gcp", "cloud", "bucket", "buckets", "upload", "uploads", "stored"],
        mock_strategy: "a local emulator of the storage API",
        secrets: &["GOOGLE_APPLICATION_CREDENTIALS"],
        ..PLAIN
    },
    Known {
        kind: "sms",
        name: "twilio",
        certain: &["twilio"],
        mock_strategy: TEST_MODE,
        secrets: &["TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN"],
        ..PLAIN
    },
    Known {
        kind: "sms",
        name: "vonage",
        certain: &["vonage", "nexmo"],
        mock_strategy: TEST_MODE,
        secrets: &["VONAGE_API_KEY", "VONAGE_API_SECRET"],
        ..PLAIN
    },
    Known {
        kind: "ai",
        name: "openai",
        certain: &["openai", "open ai", "chatgpt", "gpt 3", "gpt 4", "gpt 4o", "gpt 5", "gpt4"],
        vague: &["gpt"],
        near: &MODEL,
        mock_strategy: RECORDED,
        secrets: &["OPENAI_API_KEY"],
        ..PLAIN
    },
    Known {
        kind: "ai",
        name: "anthropic",
        certain: &["anthropic", "claude api"],
        // People are called Claude, too.
        vague: &["claude"],
        near: &MODEL,
        mock_strategy: RECORDED,
        secrets: &["ANTHROPIC_API_KEY"],
        ..PLAIN
    },
    Known {
        kind: "database_cloud",
        name: "rds",
        certain: &["amazon rds", "aws rds", "sdk rds", "client rds"],
        vague: &["rds"],
        near: &[
            "aws",
            "amazon",
            "database",
            "databases",
            "db",
            "postgres",
            "postgresql",
            "mysql",
            "aurora",
            "instance",
        ],
        mock_strategy: CONTAINER,
        secrets: &["DATABASE_URL"],
        ..PLAIN
    },
    Known {
        kind: "database_cloud",
        name: "cosmosdb",
        certain: &["cosmosdb", "cosmos db", "azure cosmos"],
        mock_strategy: "the local emulator in a container",
        secrets: &["COSMOS_ENDPOINT", "COSMOS_KEY"],
        ..PLAIN
    },
    Known {
        kind: "database_cloud",
        name: "atlas",
        certain: &["mongodb atlas", "mongo atlas"],
        // Most atlases are maps.
        vague: &["atlas"],
        near: &["mongodb", "mongo", "mongoose", "cluster", "database", "connection"],
        mock_strategy: CONTAINER,
        secrets: &["MONGODB_URI"],
        ..PLAIN
    },
    Known {
        kind: "messaging",
        name: "kafka",
        certain: &["kafka", "kafkajs", "rdkafka"],
        never_near: &["franz", "novel", "kafkaesque"],
        packages: &["github.com/ibm/sarama", "github.com/shopify/sarama", "karafka", "brod"],
        mock_strategy: CONTAINER,
        needs_secrets: false,
        ..PLAIN
    },
    Known {
        kind: "messaging",
        name: "rabbitmq",
        certain: &["rabbitmq", "amqp", "amqplib"],
        packages: &["lapin", "pika", "aio-pika", "bunny", "masstransit"],
        mock_strategy: CONTAINER,
        needs_secrets: false,
        ..PLAIN
    },
    Known {
        kind: "messaging",
        name: "service bus",
        certain: &["service bus", "servicebus"],
        mock_strategy: "the local emulator in a container",
        secrets: &["AZURE_SERVICEBUS_CONNECTION_STRING"],
        ..PLAIN
    },
    Known {
        kind: "oauth",
        name: "google sign-in",
        certain: &["google sign in", "sign in with google", "google login", "login with google"],
        vague: &["google"],
        near: &SIGN_IN,
        packages: &["google-auth-library", "@react-oauth/google", "passport-google-oauth20"],
        mock_strategy: PROVIDER,
        secrets: &["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"],
        ..PLAIN
    },
    Known {
        kind: "oauth",
        name: "facebook sign-in",
        certain: &["facebook login", "login with facebook", "sign in with facebook"],
        vague: &["facebook"],
        near: &SIGN_IN,
        packages: &["passport-facebook"],
        mock_strategy: PROVIDER,
        secrets: &["FACEBOOK_APP_ID", "FACEBOOK_APP_SECRET"],
        ..PLAIN
    },
    Known {
        kind: "oauth",
        name: "azure sign-in",
        certain: &["azure ad", "azure active directory", "entra id", "msal"],
        vague: &["azure", "microsoft"],
        near: &SIGN_IN,
        mock_strategy: PROVIDER,
        secrets: &["AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET"],
        ..PLAIN
    },
    Known {
        kind: "oauth",
        name: "sso",
        certain: &["sso", "single sign on", "saml", "okta"],
        mock_strategy: "a local identity provider in a container",
        secrets: &["SSO_CLIENT_ID", "SSO_CLIENT_SECRET"],
        generic: true,
        ..PLAIN
    },
    Known {
        kind: "storage",
        name: "cloudinary",
        certain: &["cloudinary"],
        mock_strategy: RECORDED,
        secrets: &["CLOUDINARY_URL"],
        ..PLAIN
    },
    Known {
        kind: "push",
        name: "push notifications",
        certain: &[
            "push notification",
            "push notifications",
            "firebase cloud messaging",
            "fcm",
            "apns",
            "web push",
        ],
        packages: &["firebase-admin", "pywebpush", "apns2"],
        mock_strategy: "a fake sender that keeps what it would send",
        secrets: &["FCM_SERVER_KEY", "VAPID_PRIVATE_KEY"],
        ..PLAIN
    },
    Known {
        kind: "payment",
        name: "checkout",
        certain: &["payment provider", "payment gateway", "card payment", "card payments"],
        vague: &["checkout", "check out"],
        near: &["pay", "pays", "payment", "payments", "paid", "card", "cart", "order", "customer"],
        never_near: &["git", "branch", "commit", "repository", "clone"],
        mock_strategy: SANDBOX,
        generic: true,
        ..PLAIN
    },
    Known {
        kind: "email",
        name: "mail",
        vague: &["mail", "mails", "email", "emails", "e mail", "e mails", "newsletter"],
        near: &["send", "sends", "sent", "sending", "by", "receive", "receives", "gets", "notify"],
        never_near: &["gun", "address", "addresses", "field", "column", "valid", "format"],
        mock_strategy: CATCHER,
        secrets: &["SMTP_HOST", "SMTP_USERNAME", "SMTP_PASSWORD"],
        generic: true,
        ..PLAIN
    },
    Known {
        kind: "storage",
        name: "file upload",
        certain: &[
            "file upload",
            "file uploads",
            "upload a file",
            "upload files",
            "uploaded file",
            "uploaded files",
            "image upload",
            "upload an image",
            "upload images",
        ],
        mock_strategy: "a temporary folder on the local disk",
        needs_secrets: false,
        generic: true,
        ..PLAIN
    },
    Known {
        kind: "third_party_api",
        name: "api key",
        certain: &["api key", "api keys", "apikey"],
        mock_strategy: RECORDED,
        generic: true,
        ..PLAIN
    },
    Known {
        kind: "third_party_api",
        name: "third-party api",
        certain: &[
            "third party api",
            "third party apis",
            "3rd party api",
            "external api",
            "external apis",
        ],
        mock_strategy: RECORDED,
        ..PLAIN
    },
];
