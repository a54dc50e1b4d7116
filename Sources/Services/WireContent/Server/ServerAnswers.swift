import WireBase
import WireConfig
import WireContentContract
import WireHTTP
import WireNotificationContract

/// The responses of the server, read leniently: missing or deviating members are accepted where possible.
extension ServerJSON {
    /// A page of instances or modules: `{pagination, items}`, or the items alone.
    func page(asked paging: ContentPaging, pageSize: Int) throws(ContentFailure) -> (
        page: ContentPage, items: [Node]
    ) {
        guard let items = isArray ? items() : items(of: "items") else {
            throw malformed("expected a page with 'items', or an array")
        }
        let pagination = isArray ? nil : member("pagination")
        func number(_ name: String) -> Int? { pagination.flatMap { Self.count($0[name]) } }
        let limit = number("limit") ?? (paging.isSkipped ? max(1, items.count) : paging.limit ?? pageSize)
        let page = number("page") ?? (paging.isSkipped ? 1 : paging.page)
        let (before, isBeyond) = (max(1, page) - 1).multipliedReportingOverflow(by: max(1, limit))
        // A bare array has no total: at least the earlier pages and this one.
        let (counted, isTooMuch) = before.addingReportingOverflow(items.count)
        let known = isBeyond || isTooMuch ? items.count : counted
        let total = number("totalItems") ?? known
        return (
            ContentPage(items: items.map(\.bytes), page: max(1, page), limit: limit, totalItems: max(total, 0)), items
        )
    }

    /// The changes since a timestamp.
    func changes() throws(ContentFailure) -> SyncChanges {
        guard let timestamp = member("syncTimestamp").flatMap(Moment.milliseconds(of:)) else {
            throw malformed("expected 'syncTimestamp', a timestamp")
        }
        var changes = SyncChanges(timestamp: timestamp)
        (changes.created, changes.unusable) = try instances("created", changes.unusable)
        (changes.updated, changes.unusable) = try instances("updated", changes.unusable)
        for node in try list("deleted") {
            // Servers send the instance, or its id alone.
            if let id = node.value["id"]?.string ?? node.value.string, !id.isEmpty {
                changes.deleted.append(id)
            } else {
                changes.unusable += 1
            }
        }
        return changes
    }

    private func list(_ name: String) throws(ContentFailure) -> [Node] {
        switch member(name) {
        case nil, .null: return []
        default:
            guard let items = items(of: name) else { throw malformed("'\(name)': expected an array") }
            return items
        }
    }

    private func instances(_ name: String, _ unusable: Int) throws(ContentFailure) -> ([ContentItem], Int) {
        let nodes = try list(name)
        let items = nodes.compactMap { ContentItem($0.value, bytes: $0.bytes) }
        return (items, unusable + nodes.count - items.count)
    }

    /// The result of each operation of a batch.
    func outcomes() throws(ContentFailure) -> [ContentOutcome] {
        guard let items = isArray ? items() : items(of: "operations") else {
            throw malformed("expected 'operations', an array")
        }
        return items.enumerated().map { index, node in ContentOutcome(node, index: index) }
    }

    /// A non-negative integer in any spelling; nil for other values.
    private static func count(_ value: JSONValue?) -> Int? {
        let number: Int? =
            switch value {
            case .integer(let number): number
            case .number(let number): Int(exactly: number.rounded())
            case .string(let text): Int(text)
            default: nil
            }
        return number.flatMap { $0 >= 0 ? $0 : nil }
    }

    private func malformed(_ reason: String) -> ContentFailure { Self.malformed(reason, at: origin) }

    static func malformed(_ reason: String, at origin: ValueOrigin?) -> ContentFailure {
        ContentFailure(.malformed, "the response of the content server is malformed: \(reason)", origin: origin)
    }

    /// The server's message for a refusal, on one line: `{"error": {"message": …, "extra": {…}}}`, or similar.
    static func complaint(in bytes: [UInt8]) -> String? {
        guard bytes.count <= 65_536, let json = try? ServerJSON(bytes) else { return nil }
        let error = json.member("error")
        let text = error?["message"]?.string ?? error?.string ?? json.member("message")?.string
        guard let text, !text.isEmpty else { return nil }
        // HALO describes the invalid fields there.
        guard case .object(let extra)? = error?["extra"] else { return text.shown(upTo: 200) }
        let details = extra.compactMap { key, value in
            value.string.map { "\(key.shown(upTo: 40)): \($0.shown(upTo: 120))" }
        }
        let shown = details.prefix(5).joined(separator: "; ")
        return text.shown(upTo: 200) + (shown.isEmpty ? "" : " (\(shown)\(details.count > 5 ? "; …" : ""))")
    }
}

/// The changes at the server since a timestamp.
package struct SyncChanges: Sendable {
    /// The server's timestamp for the next sync, in milliseconds.
    package var timestamp: Int64
    package var created: [ContentItem] = []
    package var updated: [ContentItem] = []
    /// Ids.
    package var deleted: [String] = []
    /// The number of changes without an id, which cannot be applied.
    package var unusable = 0

    package init(timestamp: Int64) {
        self.timestamp = timestamp
    }

    package var isEmpty: Bool { created.isEmpty && updated.isEmpty && deleted.isEmpty }
}

extension ContentOutcome {
    fileprivate init(_ node: ServerJSON.Node, index: Int) {
        let value = node.value
        let error = value["data"]?["error"] ?? value["error"]
        self.init(
            value["operation"]?.string?.shown(upTo: 40) ?? "",
            at: value["position"]?.integer ?? index,
            isDone: value["success"]?.boolean ?? (value["success"]?.string.map { $0 == "true" } ?? (error == nil))
        )
        status = error?["status"]?.integer ?? error?["status"]?.string.flatMap { Int($0) }
        message = error?["message"]?.string?.shown(upTo: 200)
        data = value["data"]
    }
}
