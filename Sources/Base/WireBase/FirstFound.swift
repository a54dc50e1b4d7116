extension Sequence {
    /// The first thing that is found in an element, each of which is looked at once.
    ///
    /// A lazy `compactMap` looks twice, and ends the process where something is found only the first time.
    package func firstFound<Found>(_ find: (Element) throws -> Found?) rethrows -> Found? {
        for element in self {
            if let found = try find(element) { return found }
        }
        return nil
    }
}
