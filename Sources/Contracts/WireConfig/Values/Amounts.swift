package import WireBase

extension Duration: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "a duration such as 30s",
            example: "30s",
            pattern: "^(?=.)([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$"
        )
    }

    /// Parses numbers with units, the larger unit first: `250ms`, `30s`, `5m`, `1h30m`, `7d`.
    package init(parsing text: String) throws(Misread) {
        try Amount.refuseSpaces(in: text) { (compact) throws(Misread) in _ = try Duration(parsing: compact) }
        guard let parts = Amount.parts(of: text), !parts.isEmpty else { throw Self.misread(text) }
        var total = Duration.zero
        var lastUnit: Int?
        for (count, unit) in parts {
            guard let rank = Self.units.firstIndex(where: { $0.name == unit }) else {
                guard let nearest = Self.spelledOut[unit.lowercased()] else { throw Self.misread(text) }
                throw Misread(
                    expected: "a duration with units ms, s, m, h or d",
                    help: "write \(count)\(nearest)",
                    fix: parts.count == 1 ? "\(count)\(nearest)" : nil
                )
            }
            guard lastUnit.map({ $0 < rank }) ?? true, count <= 1_000_000_000 else { throw Self.misread(text) }
            lastUnit = rank
            total += Self.units[rank].length * count
        }
        self = total
    }

    static let units: [(name: String, length: Duration)] = [
        ("d", .seconds(86_400)), ("h", .seconds(3_600)), ("m", .seconds(60)), ("s", .seconds(1)),
        ("ms", .milliseconds(1)),
    ]

    private static let spelledOut: [String: String] = [
        "sec": "s", "secs": "s", "second": "s", "seconds": "s", "min": "m", "mins": "m", "minute": "m", "minutes": "m",
        "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "day": "d", "days": "d", "msec": "ms", "millis": "ms",
        "milliseconds": "ms",
    ]

    package var literal: Literal {
        var rest = self
        var text = ""
        for (name, length) in Self.units {
            let count = Int(rest.attoseconds / length.attoseconds)
            if count > 0 {
                text += "\(count)\(name)"
                rest -= length * count
            }
        }
        return .text(text.isEmpty ? "0s" : text)
    }
}

extension ByteCount: TextValue {
    package static var textForm: TextForm {
        TextForm("a size such as 64MiB", example: "64MiB", pattern: "^[0-9]+(B|KiB|MiB|GiB|KB|MB|GB)$")
    }

    /// Parses a number with a unit: `512B`, `64KiB`, `10MB`, `1GiB`.
    package init(parsing text: String) throws(Misread) {
        try Amount.refuseSpaces(in: text) { (compact) throws(Misread) in _ = try ByteCount(parsing: compact) }
        guard let parts = Amount.parts(of: text), parts.count == 1, let (count, unit) = parts.first else {
            let isBare = !text.isEmpty && text.utf8.allSatisfy(\.isDigit)
            throw Misread(help: isBare ? "for bytes, write \(text)B" : nil, fix: isBare ? "\(text)B" : nil)
        }
        guard let length = Self.units.first(where: { $0.name == unit })?.length else {
            if let nearest = Self.units.first(where: { $0.name.lowercased() == unit.lowercased() })?.name {
                throw Misread(help: "write \(count)\(nearest)", fix: "\(count)\(nearest)")
            }
            let short = ["k": "K", "m": "M", "g": "G", "ki": "K", "mi": "M", "gi": "G"][unit.lowercased()]
            throw Misread(
                help: short.map { "write \(count)\($0)iB" } ?? "the units are \(Self.units.map(\.name).listed("and"))"
            )
        }
        let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: length)
        guard !isTooLarge else { throw Misread(expected: "a smaller size") }
        self = .bytes(bytes)
    }

    static let units: [(name: String, length: Int)] = [
        ("B", 1), ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("KiB", 1 << 10), ("MiB", 1 << 20),
        ("GiB", 1 << 30),
    ]
}

/// Shared parsing of durations and sizes.
private enum Amount {
    /// Suggests `5s` for `5 s`, where the rest is valid.
    static func refuseSpaces(in text: String, _ parse: (String) throws(Misread) -> Void) throws(Misread) {
        guard text.utf8.contains(UInt8(ascii: " ")) else { return }
        let compact = String(text.filter { $0 != " " })
        try parse(compact)
        throw Misread(help: "write \(compact)", fix: compact)
    }

    static func parts(of text: String) -> [(Int, String)]? {
        var rest = Substring(text).utf8
        var parts: [(Int, String)] = []
        while !rest.isEmpty {
            let digits = rest.prefix(while: \.isDigit)
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix(while: \.isLetter)
            rest = rest.dropFirst(unit.count)
            guard !unit.isEmpty, let count = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
            parts.append((count, String(decoding: unit, as: UTF8.self)))
        }
        return parts
    }
}
