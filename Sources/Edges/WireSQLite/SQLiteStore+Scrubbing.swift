package import WireStore

extension SQLiteStore {
    package func scrub() async throws(StoreFailure) -> Scrubbed {
        // Expired entries counted as removed already.
        try await sweep()
        try await state.writer.write { connection throws(StoreFailure) in try connection.forgetHistory() }
        try await state.writer.shred()
        try await cache.shred()
        let folder = try folder()
        let copies = Self.copies(in: folder)
        for copy in copies { try folder.remove(copy) }
        return Scrubbed(copies: copies.count)
    }

    package func scrubbable() throws(StoreFailure) -> Scrubbed {
        Scrubbed(copies: Self.copies(in: try folder()).count)
    }

    private func folder() throws(StoreFailure) -> Folder {
        try Folder.open(String(state.path.dropLast("/state.db".count)))
    }

    private static func copies(in folder: borrowing Folder) -> [String] {
        let former = (1..<max(2, Schema.state.version)).map { "state.db.version-\($0)" }
        return (former + StoreFileCheck.copies(of: Opening.stateName)).flatMap { [$0, "\($0).new"] }
            .filter { folder.size(of: $0) != nil }
    }
}

extension Connection {
    /// Replaces the history by one empty change, so that no keys of earlier entries remain.
    ///
    /// Versions continue, and subscribers that have read all changes are unaffected.
    fileprivate mutating func forgetHistory() throws(StoreFailure) {
        let version = try record(.removed, "", "", keeping: .max)
        var former = try statement("DELETE FROM changes WHERE version < ?")
        former.bind(version)
        try former.run()
    }
}

extension Writer {
    /// Removes deleted data from the file and its log; retries for a while where there are readers.
    func shred() async throws(StoreFailure) {
        for _ in 0..<5 {
            let result = await maintain { connection -> Result<Bool, StoreFailure> in
                do throws(StoreFailure) {
                    return .success(try connection.shred())
                } catch {
                    return .failure(error)
                }
            }
            if try result.get() { return }
        }
        throw StoreFailure(
            .busy,
            "another process keeps reading the store, so its log still has deleted data",
            help: "try again when other processes of the group are idle"
        )
    }
}
