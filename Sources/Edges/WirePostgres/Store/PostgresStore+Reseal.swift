import WireBase
package import WireStore

extension PostgresStore {
    package func reseal() async throws(StoreFailure) -> Resealed {
        var count = 0
        // A runner with only the former key may still seal with it, so a round without findings is required.
        for _ in 0..<Self.mostRounds {
            var round = Resealed(count: 0, left: 0)
            for part in SealedPart.allCases {
                let done = try await reseal(part)
                round = Resealed(count: round.count + done.count, left: round.left + done.left)
            }
            count += round.count
            if round.count == 0 { return Resealed(count: count, left: round.left) }
        }
        throw StoreFailure(.busy, "another runner keeps sealing with the former key")
    }

    private static let mostRounds = 8

    private func reseal(_ part: SealedPart) async throws(StoreFailure) -> Resealed {
        var (count, left) = (0, 0)
        var last: (scope: [UInt8], name: [UInt8]) = ([], [])
        while true {
            if Task.isCancelled { throw StoreFailure(.cancelled, "resealing was cancelled") }
            let page = try await read(
                "sealed_1",
                [.int2(part.number), .bytea(last.scope), .bytea(last.name), .int4(64)]
            )
            for row in page {
                let (scope, name, bytes, bound) = try storing { () throws(PostgresFailure) in
                    (try row.bytes(0), try row.bytes(1), try row.bytes(2), try row.bytes(3))
                }
                last = (scope, name)
                if sealer.isCurrent(bytes) { continue }
                guard let renewed = try renew(bytes, part, bound, in: scope) else {
                    left += 1
                    continue
                }
                let functions = functions
                let answer = try await writer.write(.alone, size: bytes.count + renewed.count) { member, _ in
                    functions.call(
                        "reseal_1",
                        [
                            .int4(member.group), .int2(part.number), .bytea(scope), .bytea(name), .bytea(bytes),
                            .bytea(renewed),
                        ]
                    )
                }
                if try answer.boolean(0) { count += 1 }
            }
            if page.isEmpty { return Resealed(count: count, left: left) }
        }
    }

    /// Returns the bytes sealed with the present key; nil where no available key opens them.
    private func renew(_ sealed: [UInt8], _ part: SealedPart, _ name: [UInt8], in scope: [UInt8])
        throws(StoreFailure) -> [UInt8]?
    {
        let place = place(part, String(decoding: name, as: UTF8.self), in: String(decoding: scope, as: UTF8.self))
        let bytes: [UInt8]
        do throws(StoreFailure) {
            bytes = try sealer.open(sealed, for: place)
        } catch  where [.sealed, .corrupt, .newer].contains(error.kind) {
            return nil
        }
        return try sealer.seal(bytes, for: place)
    }
}

extension SealedPart {
    /// Its number in the database.
    fileprivate var number: Int16 {
        switch self {
        case .entry: 0
        case .head: 1
        case .work: 2
        case .note: 3
        }
    }
}
