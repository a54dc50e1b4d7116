extension RawClient {
    /// Connects and sends these bytes.
    ///
    /// Retries where a busy machine let the server time out.
    package static func connect(to address: Address, sending bytes: [UInt8]) async throws -> RawClient {
        for _ in 0..<20 {
            let client = try await connect(to: address)
            do {
                try await client.send(bytes)
                return client
            } catch is Failure {
                try await client.close()
            }
        }
        throw Failure(description: "every connection is closed before anything can be sent")
    }

    /// Returns when the other end has closed, however slow the machine; false after minutes.
    package func waitForEnd() async throws -> Bool {
        for _ in 0..<3 {
            do {
                _ = try await rest()
                return true
            } catch is Failure {
                // A timeout of a minute, or a wrong end: the next read distinguishes them.
                if (try? await isEnded()) ?? false { return true }
            }
        }
        return false
    }
}
