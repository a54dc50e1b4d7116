package import WireConfig

/// The stored form of layers and real ids; sealed with their mutations, since it contains user data.
extension OptimisticLayer {
    package var json: JSONValue {
        .object([("id", .string(id)), ("changes", .array(changes.map(\.json)))])
    }

    /// Nil for other JSON than a layer of this version.
    package init?(json: JSONValue) {
        guard let id = json["id"]?.string, let items = json["changes"]?.array else { return nil }
        let changes = items.compactMap(LayerChange.init)
        guard changes.count == items.count else { return nil }
        self.init(id, changes)
    }
}

extension LayerChange {
    fileprivate var json: JSONValue {
        switch self {
        case .fields(let key, let record):
            .members([
                "set": .string(key.text), "type": record.type.map(JSONValue.string),
                "fields": .object(record.fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.value.json) }),
            ])
        case .add(let key, let target): .members(["add": .string(key.text), "to": target.json])
        case .remove(let key, let target): .members(["remove": .string(key.text), "from": target.json])
        case .delete(let key): .members(["delete": .string(key.text)])
        case .unknown(let target): .members(["unknown": target.json])
        }
    }

    fileprivate init?(json: JSONValue) {
        if let key = json["set"]?.string, let members = json["fields"]?.members {
            var record = CacheRecord(type: json["type"]?.string)
            for (name, member) in members {
                guard let value = RecordValue(json: member, depth: 0) else { return nil }
                record.fields[name] = CachedField(value, at: CachedField.ageless)
            }
            self = .fields(RecordKey(key), record)
        } else if let key = json["add"]?.string, let target = json["to"].flatMap(ListTarget.init) {
            self = .add(RecordKey(key), to: target)
        } else if let key = json["remove"]?.string, let target = json["from"].flatMap(ListTarget.init) {
            self = .remove(RecordKey(key), from: target)
        } else if let key = json["delete"]?.string {
            self = .delete(RecordKey(key))
        } else if let target = json["unknown"].flatMap(ListTarget.init) {
            self = .unknown(target)
        } else {
            return nil
        }
    }
}

extension ListTarget {
    fileprivate var json: JSONValue {
        let (field, owner, isOne): (String, String, Bool) =
            switch place {
            case .field(let field, let key): (field, key.text, true)
            case .every(let field, let type): (field, type, false)
            }
        return .members([
            "field": .string(field), isOne ? "of" : "type": .string(owner), "first": .boolean(isFirst),
            "end": end == .never ? nil : .integer(Int(end.time)),
            "position": end == .never ? nil : .integer(Int(end.position)),
        ])
    }

    fileprivate init?(json: JSONValue) {
        guard let field = json["field"]?.string else { return nil }
        let place: Place
        if let key = json["of"]?.string {
            place = .field(field, of: RecordKey(key))
        } else if let type = json["type"]?.string {
            place = .every(field: field, of: type)
        } else {
            return nil
        }
        self.init(
            place,
            isFirst: json["first"]?.boolean ?? false,
            end: json["end"]?.integer.map { time in
                Moment(position: json["position"]?.integer.map { Int64($0) } ?? 0, time: Int64(time))
            } ?? .never
        )
    }
}

extension RecordValue {
    fileprivate var json: JSONValue {
        switch self {
        case .scalar(let scalar): .object([("value", scalar)])
        case .list(let items): .object([("list", .array(items.map(\.json)))])
        case .reference(let key): .object([("ref", .string(key.text))])
        }
    }

    fileprivate init?(json: JSONValue, depth: Int) {
        guard depth < 64 else { return nil }
        if let scalar = json["value"] {
            self = .scalar(scalar)
        } else if let key = json["ref"]?.string {
            self = .reference(RecordKey(key))
        } else if let items = json["list"]?.array {
            let values = items.compactMap { RecordValue(json: $0, depth: depth + 1) }
            guard values.count == items.count else { return nil }
            self = .list(values)
        } else {
            return nil
        }
    }
}
