/// An error that stands for another one, which its callers do not know.
package protocol WrappingError: Error {
    associatedtype Cause: Error

    init(_ cause: Cause)
}

extension WrappingError {
    /// Does the work, and throws as this error what the work throws.
    package static func wrapping<Answer>(
        _ work: () throws(Cause) -> Answer
    ) throws(Self) -> Answer {
        do throws(Cause) { return try work() } catch { throw Self(error) }
    }

    package static func wrapping<Answer>(
        _ work: () async throws(Cause) -> Answer
    ) async throws(Self) -> Answer {
        do throws(Cause) { return try await work() } catch { throw Self(error) }
    }

    /// The answer of one call, whose error is rethrown as this error.
    package static func rethrowing<Answer>(
        _ call: @autoclosure () throws(Cause) -> Answer
    ) throws(Self) -> Answer {
        try wrapping { () throws(Cause) in try call() }
    }

    package static func rethrowing<Answer>(
        _ call: @autoclosure () async throws(Cause) -> Answer
    ) async throws(Self) -> Answer {
        try await wrapping { () async throws(Cause) in try await call() }
    }
}
