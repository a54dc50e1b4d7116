import WireConfig

/// The parts of a person's name, as in OpenID Connect and address books.
struct Person {
    let given: String?
    let family: String?
    let whole: String?

    private static let familyFirst: Set<Substring> = ["zh", "ja", "ko", "hu", "vi"]

    func name(_ style: NameStyle, in language: LanguageTag) -> String {
        let code = language.text.prefix { $0 != "-" }
        let parts = Self.familyFirst.contains(code) ? [family, given] : [given, family]
        let isTight = ["zh", "ja", "ko"].contains(code) && parts.allSatisfy { $0?.isIdeographic ?? true }
        let both = parts.compactMap { $0 }.joined(separator: isTight ? "" : " ")
        switch style {
        case .short: return given ?? whole ?? both
        case .medium: return both.isEmpty ? whole ?? "" : both
        case .long: return whole ?? both
        }
    }
}

extension JSONValue {
    var person: Person? {
        switch self {
        case .string(let text) where !text.isEmpty: return Person(given: nil, family: nil, whole: text)
        case .object(let members):
            func part(_ names: String...) -> String? {
                for name in names {
                    if case .string(let text)? = members.first(where: { $0.key == name })?.value, !text.isEmpty {
                        return text
                    }
                }
                return nil
            }
            let person = Person(
                given: part("given_name", "givenName", "firstName", "given", "name"),
                family: part("family_name", "familyName", "lastName", "surname", "family"),
                whole: part("fullName", "displayName")
            )
            return person.given ?? person.family ?? person.whole == nil ? nil : person
        default: return nil
        }
    }
}

extension String {
    /// Whether the characters need no space between names.
    fileprivate var isIdeographic: Bool {
        unicodeScalars.allSatisfy {
            $0.properties.isIdeographic || (0xAC00...0xD7A3).contains($0.value) || (0x3040...0x30FF).contains($0.value)
        }
    }
}
