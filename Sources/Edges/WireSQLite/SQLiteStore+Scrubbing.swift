package import WireStore

extension SQLiteStore {
    package func scrub() async throws(StoreFailure) -> Int {
        // Expired entries counted as removed already.
        try await sweep()
        try await state.writer.write { connection throws(StoreFailure) in try connection.forgetHistory() }
        try await state.writer.shred()
        try await cache.shred()
        let folder = try Folder.open(String(state.path.dropLast("/state.db".count)))
        var count = 0
        let former = (1..<max(2, Schema.state.version)).map { "state.db.version-\($0)" }
        for name in former + StoreFileCheck.copies(of: Opening.stateName) {
            for copy in [name, "\(name).new"] where folder.size(of: copy) != nil {
                try folder.remove(copy)
                count += 1
            }
        }
        return count
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
