[ "$(sh bin/greet)" = "Hello, world!" ]
