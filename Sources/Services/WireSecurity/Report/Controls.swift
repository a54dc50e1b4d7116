extension MASVSControl {
    /// The controls of OWASP MASVS 2.1: what they ask for, and what stands for them here besides rules.
    static let catalogue: [(id: String, statement: String, remark: String)] = [
        (
            "MASVS-STORAGE-1", "The app securely stores sensitive data.",
            "Tokens and keys are sealed in the store (AES-256-GCM)."
        ),
        (
            "MASVS-STORAGE-2", "The app prevents leakage of sensitive data.",
            "Secrets are redacted in every output; memory is closed where servers are remote."
        ),
        (
            "MASVS-CRYPTO-1", "Employs current strong cryptography, used according to industry best practices.",
            "Algorithms come from OpenSSL; weak ones are refused, wherever a token or a server names them."
        ),
        (
            "MASVS-CRYPTO-2", "Performs key management according to industry best practices.",
            "The key of the store comes from a credential or a file of its owner alone, and can be changed."
        ),
        (
            "MASVS-AUTH-1", "Uses secure authentication and authorization protocols and best practices.",
            "OAuth 2 with PKCE, state and nonce, always; no rule can switch it off."
        ),
        (
            "MASVS-AUTH-2", "Performs local authentication securely according to platform best practices.",
            "auth.lock asks for the password of the machine or a PIN."
        ),
        (
            "MASVS-AUTH-3", "Secures sensitive operations with additional authentication.",
            "auth.lock; which operations are sensitive is for the app to say."
        ),
        (
            "MASVS-NETWORK-1", "Secures all network traffic according to current best practices.",
            "TLS 1.2 or later to every host but loopback, unless the file says otherwise."
        ),
        (
            "MASVS-NETWORK-2", "Performs identity pinning for all remote endpoints under the developer's control.",
            "network.pins; 'validate-config --online' says whether they match."
        ),
        (
            "MASVS-PLATFORM-1", "Uses IPC mechanisms securely.",
            "The local API asks the kernel who its caller is, or for a token from a file of its owner alone."
        ),
        ("MASVS-PLATFORM-2", "Uses WebViews securely.", "Not covered: a runner without a screen has none."),
        (
            "MASVS-PLATFORM-3", "Uses the user interface securely.",
            "Not covered: the interface is the app's; the console forbids frames and foreign scripts."
        ),
        (
            "MASVS-CODE-1", "Requires an up-to-date platform version.",
            "The rule platformVersion, where the file names it."
        ),
        ("MASVS-CODE-2", "Has a mechanism for enforcing app updates.", "The rule appVersion, where the file names it."),
        (
            "MASVS-CODE-3", "Only uses software components without known vulnerabilities.",
            "Not covered at run time: corewire uses the libraries of the distribution, which mends them."
        ),
        (
            "MASVS-CODE-4", "Validates and sanitizes all untrusted inputs.",
            "Every file, answer and request is read strictly, within limits."
        ),
        (
            "MASVS-RESILIENCE-1", "Validates the integrity of the platform.",
            "Signs of it only: the host can hide all of them."
        ),
        ("MASVS-RESILIENCE-2", "Implements anti-tampering mechanisms.", "Signs of it only."),
        (
            "MASVS-RESILIENCE-3", "Implements anti-static analysis mechanisms.",
            "Not covered: the program's source is open, and hides nothing."
        ),
        ("MASVS-RESILIENCE-4", "Implements anti-dynamic analysis techniques.", "Signs of it only."),
        (
            "MASVS-PRIVACY-1", "Minimizes access to sensitive data and resources.",
            "Which facts of the device are sent is declared (device.facts); scopes are those of the file."
        ),
        (
            "MASVS-PRIVACY-2", "Prevents identification of the user.",
            "Ids are random, and made for each installation."
        ),
        (
            "MASVS-PRIVACY-3", "Is transparent about data collection and usage.",
            "'corewire metrics preview' shows what is sent; nothing is unless it is declared."
        ),
        (
            "MASVS-PRIVACY-4", "Offers user control over their data.",
            "'corewire clear' removes what is kept, and says what it was."
        ),
    ]
}
