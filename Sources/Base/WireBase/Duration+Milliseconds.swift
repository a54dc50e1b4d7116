extension Duration {
    /// Whole milliseconds, for people and programs that need no more.
    package var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
