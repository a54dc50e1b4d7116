import WireConfig

/// Picks a language from content in all languages.
///
/// Without a requested language, servers send a localised field as an object with a member for each language. Such an
/// object is recognised by its names, which all are languages with a region.
enum Localisation {
    static func pick(_ locale: String, from values: JSONValue) -> JSONValue {
        guard case .object(let members) = values else { return values }
        return .object(
            members.map { member in
                guard let languages = languages(member.value) else { return member }
                return (member.key, languages.first { $0.key == locale }?.value ?? .null)
            }
        )
    }

    private static func languages(_ value: JSONValue) -> [(key: String, value: JSONValue)]? {
        guard case .object(let members) = value, !members.isEmpty, members.allSatisfy({ isLanguage($0.key) }) else {
            return nil
        }
        return members
    }

    private static func isLanguage(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, let language = parts.first, let region = parts.last else { return false }
        return (2...3).contains(language.count) && language.allSatisfy { (0x61...0x7a).contains($0) }
            && region.count == 2 && region.allSatisfy { (0x41...0x5a).contains($0) }
    }
}
