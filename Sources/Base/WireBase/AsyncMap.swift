extension Sequence {
    /// The results of an asynchronous function for each element, called in order.
    package func asyncMap<Result, Failure: Error>(
        _ transform: (Element) async throws(Failure) -> Result
    ) async throws(Failure) -> [Result] {
        var results: [Result] = []
        results.reserveCapacity(underestimatedCount)
        for element in self { results.append(try await transform(element)) }
        return results
    }

    /// The non-nil results of an asynchronous function for each element, called in order.
    package func asyncCompactMap<Result, Failure: Error>(
        _ transform: (Element) async throws(Failure) -> Result?
    ) async throws(Failure) -> [Result] {
        try await asyncMap(transform).compactMap(\.self)
    }
}
