package import WireStore

extension SQLiteStore {
    package func scrub() async throws(StoreFailure) -> Int {
        // What has expired was removed as well, to whoever asks.
        try await sweep()
        try await state.writer.write { connection throws(StoreFailure) in try connection.forgetHistory() }
        try await state.writer.shred()
        try await cache.shred()
        let folder = try Folder.open(String(state.path.dropLast("/state.db".count)))
        var count = 0
        let former = (1..<max(2, Schema.state.version)).map { "state.db.version-\($0)" }
        for name in former + Standing.copies(of: Opening.stateName) {
            for copy in [name, "\(name).new"] where folder.size(of: copy) != nil {
                try folder.remove(copy)
                count += 1
            }
        }
        return count
    }
}

extension Connection {
    /// Forgets which entries there ever were: a change of nothing takes the place of all that were told.
    ///
    /// Numbers go on, and so does whoever has heard of all changes before it.
    fileprivate mutating func forgetHistory() throws(StoreFailure) {
        let version = try record(.removed, "", "", keeping: .max)
        var former = try statement("DELETE FROM changes WHERE version < ?")
        former.bind(version)
        try former.run()
    }
}

extension Writer {
    /// Leaves nothing in the file and its log of what was removed; tried for a while where somebody reads.
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
            "somebody reads the store all the time, so that what was removed is still in its log",
            help: "ask again when other processes of the group are quiet"
        )
    }
}
