package import WireStore

extension SQLiteStore {
    package func reseal() async throws(StoreFailure) -> Resealed {
        var count = 0
        // A process with only the former key may still seal with it, so a round without findings is required.
        for _ in 0..<Self.mostAttempts {
            var round = Resealed(count: 0, left: 0)
            for table in SealedPart.allCases {
                let done = try await reseal(table)
                round = Resealed(count: round.count + done.count, left: round.left + done.left)
            }
            count += round.count
            if round.count == 0 { return Resealed(count: count, left: round.left) }
        }
        throw StoreFailure(.busy, "another process keeps sealing with the former key")
    }

    /// Reseals a table from beginning to end, a few rows at a time.
    private func reseal(_ table: SealedPart) async throws(StoreFailure) -> Resealed {
        let sealer = sealer
        var (count, left) = (0, 0)
        var last: Int64? = .min
        while let after = last {
            if Task.isCancelled { throw StoreFailure(.cancelled, "resealing was cancelled") }
            let page = try state.read { connection throws(StoreFailure) in
                try connection.page(of: table, after: after) { sealer.isCurrent($0) }
            }
            last = page.last
            var renewed: [SealedPart.Renewed] = []
            for row in page.rows {
                if let sealed = try renew(row) {
                    renewed.append(SealedPart.Renewed(id: row.id, former: row.sealed, sealed: sealed))
                } else {
                    left += 1
                }
            }
            if renewed.isEmpty { continue }
            let rows = renewed
            count += try await state.writer.write { connection throws(StoreFailure) in
                try connection.replace(rows, on: table)
            }
        }
        return Resealed(count: count, left: left)
    }

    /// Returns the bytes sealed with the present key; nil where no available key opens them.
    private func renew(_ row: SealedPart.Row) throws(StoreFailure) -> [UInt8]? {
        let bytes: [UInt8]
        do throws(StoreFailure) {
            bytes = try sealer.open(row.sealed, for: row.place)
        } catch  where [.sealed, .corrupt, .newer].contains(error.kind) {
            return nil
        }
        return try sealer.seal(bytes, for: row.place)
    }

    private static let mostAttempts = 8
}
