extension MASVSControl {
    /// The controls of OWASP MASVS 2.1: their statements, and how corewire meets them besides rules.
    static let catalogue: [(id: String, statement: String, remark: String)] = [
        (
            "MASVS-STORAGE-1", "The app securely stores sensitive data.",
            "Tokens and keys are encrypted in the store (AES-256-GCM)."
        ),
        (
            "MASVS-STORAGE-2", "The app prevents leakage of sensitive data.",
            "Secrets are redacted in every output; memory is protected where servers are remote."
        ),
        (
            "MASVS-CRYPTO-1", "Employs current strong cryptography, used according to industry best practices.",
            "Algorithms come from OpenSSL; weak ones are rejected, wherever a token or a server names them."
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
            "auth.lock; the app decides which operations are sensitive."
        ),
        (
            "MASVS-NETWORK-1", "Secures all network traffic according to current best practices.",
            "TLS 1.2 or later to every host but loopback, unless the file allows less."
        ),
        (
            "MASVS-NETWORK-2", "Performs identity pinning for all remote endpoints under the developer's control.",
            "network.pins; 'validate-config --online' checks whether they match."
        ),
        (
            "MASVS-PLATFORM-1", "Uses IPC mechanisms securely.",
            "The local API identifies callers by the kernel, or by a token from a file of its owner alone."
        ),
        ("MASVS-PLATFORM-2", "Uses WebViews securely.", "Not covered: a runner without a screen has none."),
        (
            "MASVS-PLATFORM-3", "Uses the user interface securely.",
            "Not covered: the interface is the app's; the console forbids frames and foreign scripts."
        ),
        (
            "MASVS-CODE-1", "Requires an up-to-date platform version.",
            "The rule platformVersion, if the file has it."
        ),
        ("MASVS-CODE-2", "Has a mechanism for enforcing app updates.", "The rule appVersion, if the file has it."),
        (
            "MASVS-CODE-3", "Only uses software components without known vulnerabilities.",
            "Not covered at run time: corewire uses the libraries of the distribution, which patches them."
        ),
        (
            "MASVS-CODE-4", "Validates and sanitizes all untrusted inputs.",
            "Every file, response and request is parsed strictly, within limits."
        ),
        (
            "MASVS-RESILIENCE-1", "Validates the integrity of the platform.",
            "Only signs are detected: the host can hide all of them."
        ),
        ("MASVS-RESILIENCE-2", "Implements anti-tampering mechanisms.", "Only signs are detected."),
        (
            "MASVS-RESILIENCE-3", "Implements anti-static analysis mechanisms.",
            "Not covered: the program is open source."
        ),
        ("MASVS-RESILIENCE-4", "Implements anti-dynamic analysis techniques.", "Only signs are detected."),
        (
            "MASVS-PRIVACY-1", "Minimizes access to sensitive data and resources.",
            "The sent facts of the device are declared (device.facts); scopes are those of the file."
        ),
        (
            "MASVS-PRIVACY-2", "Prevents identification of the user.",
            "Ids are random, and generated for each installation."
        ),
        (
            "MASVS-PRIVACY-3", "Is transparent about data collection and usage.",
            "'corewire metrics preview' shows what is sent; nothing is sent unless declared."
        ),
        (
            "MASVS-PRIVACY-4", "Offers user control over their data.",
            "'corewire clear' removes stored data, and reports what it was."
        ),
    ]
}
