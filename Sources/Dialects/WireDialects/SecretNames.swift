/// Tells by its key whether a value that no section declares is a secret.
///
/// Where a section declares a key its type says so, and this is not asked. It is for what an AeroGear file holds beyond
/// that, and is generous: a name taken for a secret costs a value in a listing, one not taken for it costs the secret.
enum SecretNames {
    private static let signs = [
        "secret", "password", "passwd", "passphrase", "pwd", "token", "credential", "apikey", "authorization",
        "signature",
    ]
    /// Endings that make a name speak about a secret instead of being one.
    private static let harmless = [
        "url", "uri", "endpoint", "header", "headername", "audience", "type", "ttl", "timeout",
    ]

    /// Whether text under the key, or under a key below it, is a secret.
    static func isSecret(key: String) -> Bool {
        let folded = key.lowercased().filter { $0 != "-" && $0 != "_" && $0 != "." }
        guard !harmless.contains(where: folded.hasSuffix) else { return false }
        // A VAPID or realm key is made to be given away; any other key is not.
        let isKey = folded.hasSuffix("key") && !folded.contains("public") && folded != "appserverkey"
        return isKey || signs.contains(where: folded.contains)
    }

    /// Whether text shows a password where URLs have one: `https://user:password@host`.
    static func holdsUserInfo(_ text: String) -> Bool {
        guard let slashes = text.firstRange(of: "://") else { return false }
        return text[slashes.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }.contains("@")
    }
}
