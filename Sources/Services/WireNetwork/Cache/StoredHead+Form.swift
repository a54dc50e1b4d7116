import WireHTTP

/// The form in which a head lies in the store: a version, then its parts. Whatever is not of this form was never stored.
extension StoredHead {
    private static var version: UInt8 { 1 }
    /// Milliseconds that can be reckoned with.
    private static var times: ClosedRange<Int64> { 0...(1 << 53) }

    /// The form, with the size of the body it belongs to.
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

/// Which variants of an answer are stored, the last one stored first.
struct Variants: Sendable, Equatable {
    /// One of them: the fields it varies by, and the digest of what the request had for them.
    struct Variant: Sendable, Equatable {
        let names: [String]
        /// Empty for an answer that varies by nothing, to a request like any other.
        let digest: String
    }

    private(set) var all: [Variant] = []

    /// Puts one first, and lets go of those that are too many.
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
