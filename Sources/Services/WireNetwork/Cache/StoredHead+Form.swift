import WireHTTP

/// The binary form of a stored head: a version, then its parts; other input counts as not stored.
extension StoredHead {
    private static var version: UInt8 { 1 }
    /// Valid times in milliseconds.
    private static var times: ClosedRange<Int64> { 0...(1 << 53) }

    /// The binary form, with the size of the body.
    func form(bodySize: Int) -> [UInt8] {
        var form = ByteWriter()
        form.write(Self.version)
        form.write(Int64(bodySize))
        form.write(Int64(status.code))
        form.write(max(0, confirmed))
        form.write(freshness.lifetime)
        form.write(freshness.initialAge)
        form.write(Int64((noCache ? 1 : 0) | (mustRevalidate ? 2 : 0) | (staleIfError == nil ? 0 : 4)))
        form.write(staleIfError ?? 0)
        form.write(Int64(fields.all.count))
        for field in fields.all {
            form.write(field.name)
            form.write(field.value)
        }
        return form.sealed
    }

    init?(form: [UInt8], bodySize: Int) {
        guard var form = ByteReader(sealed: form) else { return nil }
        guard form.byte() == Self.version, form.number() == Int64(bodySize), let code = form.number(),
            (100...599).contains(code), let confirmed = form.number(in: Self.times),
            let lifetime = form.number(in: Self.times), let initialAge = form.number(in: Self.times),
            let flags = form.number(in: 0...7), let staleIfError = form.number(in: Self.times),
            let count = form.count()
        else { return nil }
        var fields = Fields()
        for _ in 0..<count {
            guard let name = form.text(), let value = form.text() else { return nil }
            fields.add(name, value)
        }
        guard form.isAtEnd else { return nil }
        self.init(
            status: Status(Int(code)),
            fields: fields,
            confirmed: confirmed,
            freshness: Freshness(lifetime: lifetime, initialAge: initialAge),
            noCache: flags & 1 != 0,
            mustRevalidate: flags & 2 != 0,
            staleIfError: flags & 4 != 0 ? staleIfError : nil
        )
    }

    private init(
        status: Status,
        fields: Fields,
        confirmed: Int64,
        freshness: Freshness,
        noCache: Bool,
        mustRevalidate: Bool,
        staleIfError: Int64?
    ) {
        (self.status, self.fields, self.confirmed, self.freshness) = (status, fields, confirmed, freshness)
        (self.noCache, self.mustRevalidate, self.staleIfError) = (noCache, mustRevalidate, staleIfError)
    }
}

/// The stored variants of a response, the newest first.
struct Variants: Sendable, Equatable {
    /// A variant: its selecting fields, and the digest of the request's values for them.
    struct Variant: Sendable, Equatable {
        let names: [String]
        /// Empty for a response without `Vary` to a usual request.
        let digest: String
    }

    private(set) var all: [Variant] = []

    /// Moves a variant to the front, and drops those above the limit.
    mutating func use(_ variant: Variant) {
        all.removeAll { $0 == variant }
        all.insert(variant, at: 0)
        if all.count > Self.most { all.removeLast(all.count - Self.most) }
    }

    private static let most = 32
    private static var version: UInt8 { 1 }

    init() {}

    var form: [UInt8] {
        var form = ByteWriter()
        form.write(Self.version)
        form.write(Int64(all.count))
        for variant in all {
            form.write(variant.digest)
            form.write(Int64(variant.names.count))
            for name in variant.names { form.write(name) }
        }
        return form.sealed
    }

    init?(form: [UInt8]) {
        guard var form = ByteReader(sealed: form) else { return nil }
        guard form.byte() == Self.version, let count = form.count() else { return nil }
        for _ in 0..<count {
            guard let digest = form.text(), let nameCount = form.count() else { return nil }
            var names: [String] = []
            for _ in 0..<nameCount {
                guard let name = form.text() else { return nil }
                names.append(name)
            }
            all.append(Variant(names: names, digest: digest))
        }
        guard form.isAtEnd else { return nil }
    }
}
