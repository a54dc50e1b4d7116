import WireConfig

/// The rule by which the pages of a list follow each other.
package enum PageRule: Sendable, Equatable {
    /// `first` and `after`, answered with `edges` or `nodes` and `pageInfo { endCursor }` (Relay's connections).
    case relay
    /// A number of items to skip and to take, each by the path of its argument such as `page.offset`; the list is the
    /// field itself, or a member of its object.
    case offset(String, limit: String, items: String?)
}

/// The page of a list that a field requests.
package struct PageRequest: Sendable {
    package enum Position: Sendable, Equatable {
        case start
        case after(String)
        case offset(Int)
        /// A page that does not continue from the start, such as one requested backwards.
        case apart
    }

    let rule: PageRule
    let position: Position
    /// The key of the field, with all of its arguments.
    let key: String
    /// The key without the page arguments; the same for all pages of a list.
    let group: String

    /// Nil where the arguments have another shape than the rule's.
    init?(_ rule: PageRule, of name: String, _ arguments: [(key: String, value: JSONValue)], key: String) {
        let all = JSONValue.object(arguments)
        (self.rule, self.key) = (rule, key)
        switch rule {
        case .relay:
            group = ArgumentText.key(name, arguments.filter { !Self.relayed.contains($0.key) })
            if all.hasValue(at: "before") || all.hasValue(at: "last") {
                position = .apart
            } else if let after = all.value(at: "after"), after.isSet {
                guard let cursor = after.string else { return nil }
                position = .after(cursor)
            } else {
                position = .start
            }
        case .offset(let offset, let limit, _):
            guard let rest = all.removing(offset).removing(limit).members else { return nil }
            group = ArgumentText.key(name, rest)
            guard let skipped = all.value(at: offset), skipped.isSet else {
                position = .start
                return
            }
            guard let number = skipped.integer, number >= 0 else { return nil }
            position = number == 0 ? .start : .offset(number)
        }
    }

    private static let relayed = ["first", "after", "last", "before"]

    /// The record that lists the pages that were fetched.
    func index(of holder: RecordKey) -> RecordKey { Self.index(of: holder, group) }

    private static func index(of holder: RecordKey, _ group: String) -> RecordKey {
        holder.isRoot ? RecordKey("\(holder.text).\(group)#pages") : holder.child("\(group)#pages")
    }

    /// The entry of this page in that record.
    var entry: JSONValue {
        switch position {
        case .start: .null
        case .after(let cursor): .string(cursor)
        case .offset(let number): .integer(number)
        case .apart: .boolean(false)
        }
    }
}

extension JSONValue {
    fileprivate var isSet: Bool {
        if case .null = self { false } else { true }
    }

    /// A member by its path through objects.
    fileprivate func value(at path: String) -> JSONValue? {
        path.split(separator: ".").reduce(Optional(self)) { $0?[String($1)] }
    }

    fileprivate func hasValue(at path: String) -> Bool { value(at: path)?.isSet == true }

    /// The value without a member; also without an object that is empty then.
    fileprivate func removing(_ path: String) -> JSONValue {
        guard case .object(let members) = self else { return self }
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        return .object(
            members.compactMap { key, value in
                guard key == parts.first else { return (key, value) }
                guard parts.count > 1 else { return nil }
                let rest = value.removing(parts[1])
                return rest.members?.isEmpty == true ? nil : (key, rest)
            }
        )
    }
}
