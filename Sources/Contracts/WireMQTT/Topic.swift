/// The name of a topic, to which messages are published: `wards/3B/alarms`.
package struct TopicName: Sendable, Hashable {
    package let text: String

    /// Nil where the text is not a name: it is empty, too long or has a wildcard.
    package init?(_ text: String) {
        guard text.isTopicText, !text.utf8.hasWildcard else { return nil }
        self.text = text
    }

    package typealias Levels = [Substring.UTF8View]

    package var levels: Levels { text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) }

    package static func == (one: Self, other: Self) -> Bool { one.text.hasBytes(of: other.text) }

    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

/// A filter of topics, perhaps with wildcards and shared: `wards/+/alarms`, `wards/#`, `$share/carts/wards/#`.
package struct TopicFilter: Sendable, Hashable {
    package let text: String
    /// The group of a shared subscription.
    package let group: String?

    /// Nil where the text is not a filter (MQTT 5, sections 4.7 and 4.8.2).
    package init?(_ text: String) {
        guard text.isTopicText else { return nil }
        // In bytes, since a mark after a character would hide it.
        var levels = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var group: String?
        if levels[0].elementsEqual("$share".utf8) {
            guard levels.count > 2, !levels[1].isEmpty, !levels[1].hasWildcard, levels.count > 3 || !levels[2].isEmpty
            else { return nil }
            group = String(Substring(levels[1]))
            levels.removeFirst(2)
        }
        for (index, level) in levels.enumerated() where level.hasWildcard {
            let isLast = index == levels.count - 1
            guard level.count == 1, level.first == UInt8(ascii: "+") || isLast else { return nil }
        }
        (self.text, self.group) = (text, group)
    }

    /// The number of its levels, those of the shared group included.
    package var levelCount: Int { text.utf8.count { $0 == UInt8(ascii: "/") } + 1 }

    package static func == (one: Self, other: Self) -> Bool { one.text.hasBytes(of: other.text) }

    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension TopicFilter {
    /// Whether subscribers get the messages of a topic (section 4.7); a shared filter counts without its group.
    package func matches(_ topic: TopicName) -> Bool { matches(topic.levels) }

    /// Whether subscribers get the messages of a topic by its levels, which are the same for many filters.
    package func matches(_ names: TopicName.Levels) -> Bool {
        let levels = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst(group == nil ? 0 : 2)
        // Topics of the server itself do not match wildcards at the beginning.
        if names.first?.first == UInt8(ascii: "$"), levels.first?.hasWildcard == true { return false }
        for (index, level) in levels.enumerated() {
            if level.first == UInt8(ascii: "#") { return true }
            guard index < names.count, level.first == UInt8(ascii: "+") || level.elementsEqual(names[index]) else {
                return false
            }
        }
        return levels.count == names.count
    }
}

extension String {
    fileprivate var isTopicText: Bool { (1...65_535).contains(utf8.count) && !utf8.contains(0) }

    /// Whether texts are the same in bytes (MQTT 5, section 4.7.3), without normalization.
    fileprivate func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    fileprivate func hashBytes(into hasher: inout Hasher) {
        for byte in utf8 { hasher.combine(byte) }
        hasher.combine(utf8.count)
    }
}

extension Sequence<UInt8> {
    fileprivate var hasWildcard: Bool { contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") } }
}
