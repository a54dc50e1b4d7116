/// Decides by its key whether an undeclared value is a secret.
///
/// Not used for declared keys, whose type decides. Used for the other parts of an AeroGear file, with a preference
/// for secrets: a false positive hides a harmless value, a false negative exposes a secret.
enum SecretNames {
    private static let signs = [
        "secret", "password", "passwd", "passphrase", "pwd", "token", "credential", "apikey", "authorization",
        "signature",
    ]
    /// Endings of names that concern a secret without being one.
    private static let harmless = [
        "url", "uri", "endpoint", "header", "headername", "audience", "type", "ttl", "timeout",
    ]

    /// Whether a text under the key, or below it, is a secret.
    static func isSecret(key: String) -> Bool {
        let folded = key.lowercased().filter { $0 != "-" && $0 != "_" && $0 != "." }
        guard !harmless.contains(where: folded.hasSuffix) else { return false }
        // VAPID and realm keys are public; any other key is not.
        let isKey = folded.hasSuffix("key") && !folded.contains("public") && folded != "appserverkey"
        return isKey || signs.contains(where: folded.contains)
    }

    /// Whether a text contains a password as URLs do: `https://user:password@host`.
    static func holdsUserInfo(_ text: String) -> Bool {
        guard let slashes = text.firstRange(of: "://") else { return false }
        return text[slashes.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }.contains("@")
    }
}
