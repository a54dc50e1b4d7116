extension Sequence {
    /// Returns the first result of a closure that is called once for each element.
    ///
    /// A lazy `compactMap` calls it twice, and traps where only the first call has a result.
    package func firstFound<Found>(_ find: (Element) throws -> Found?) rethrows -> Found? {
        for element in self {
            if let found = try find(element) { return found }
        }
        return nil
    }
}
