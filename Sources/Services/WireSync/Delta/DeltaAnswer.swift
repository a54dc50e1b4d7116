package import WireConfig
import WireGraphQL

/// The answer to a delta query.
package struct DeltaAnswer: Sendable {
    /// The data with the objects that were not deleted, as objects of the type itself.
    let data: JSONValue
    /// The key fields of the deleted objects.
    let deleted: [JSONValue]
    /// The number of objects.
    let count: Int
    /// The server's time of the answer.
    let lastSync: JSONValue
    /// Whether its time is that of the last object: omitted objects are then in the next answer.
    ///
    /// Servers that return the present time may omit any objects. Nil where objects have no time of change.
    let endsAtLastObject: Bool?
    /// The time of the request.
    let sent: Moment

    /// Nil for data of another form.
    package init?(_ data: JSONValue, _ form: DeltaForm, of type: String, sent: Moment) {
        guard let page = data[form.member], var members = page.members, let items = page[form.items]?.array,
            let lastSync = page[form.lastSync], lastSync.deltaTime != nil
        else { return nil }
        var (kept, deleted): ([JSONValue], [JSONValue]) = ([], [])
        for item in items where item.members != nil {
            if item[form.deleted]?.boolean == true {
                deleted.append(item)
            } else {
                var members = item.members?.filter { $0.key != form.deleted && $0.key != "__typename" } ?? []
                members.insert(("__typename", .string(type)), at: 0)
                kept.append(.object(members))
            }
        }
        members.put(.array(kept), under: form.items)
        self.data = .object([(form.member, .object(members))])
        (self.deleted, self.lastSync, self.sent) = (deleted, lastSync, sent)
        count = items.count
        let newest = form.updated.flatMap { name in items.compactMap { $0[name]?.deltaTime }.max() }
        endsAtLastObject = newest.map { lastSync.deltaTime ?? 0 <= $0 }
    }
}

extension JSONValue {
    /// A server's time in milliseconds since 1970, as a number or as text; never negative.
    var deltaTime: Int64? {
        let time: Int64? =
            switch self {
            case .integer(let value): Int64(value)
            case .number(let value): Int64(exactly: value.rounded())
            case .string(let text): Int64(text)
            default: nil
            }
        return time.flatMap { $0 < 0 ? nil : $0 }
    }
}
