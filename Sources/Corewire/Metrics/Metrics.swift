import WireHTTP
import WireMetrics
import WireMetricsContract

extension Corewire {
    /// Messages to the metrics service: the section `metrics`, as in the local API.
    ///
    /// Uses the current generation, so it stays valid across reloads and switches.
    public var metrics: Metrics { Metrics(corewire: self) }

    /// Sends metrics, or passes them to code of the program.
    ///
    /// ```swift
    /// let publisher = corewire.metrics.publish { message in try await queue.put(message.json) }
    /// try await corewire.metrics.send()
    /// ```
    ///
    /// Holding this value keeps ``Corewire`` alive.
    public struct Metrics: Sendable {
        let corewire: Corewire

        /// The type of a message.
        public enum Kind: String, Sendable {
            /// The app runs.
            case initial = "init"
            /// The results of security rules.
            case security
        }

        /// Passes messages to code instead of the server, as long as the returned value is held.
        ///
        /// Messages stay on the disk until the closure returns; where it throws, they are passed again. The message of
        /// the start may be sent before; use ``Corewire/Configuration/publisher`` for that one.
        public func publish(_ work: @escaping @Sendable (MetricsMessage) async throws -> Void) -> MetricsPublishing {
            MetricsPublishing({ try await work(MetricsMessage($0)) }, in: corewire.publisher)
        }

        /// Previews the messages that would be sent now.
        @concurrent
        public func preview() async throws(CorewireError) -> [MetricsMessage] {
            let preview = try await corewire.perform(MetricsCalls.preview, NoInput(), in: .metrics)
            return preview.messages.map(MetricsMessage.init)
        }

        /// Sends messages of one type, or of all types of the file, now; returns when they are queued.
        @concurrent
        public func send(_ kind: Kind? = nil) async throws(CorewireError) {
            let kind = kind.flatMap { WireMetricsContract.MetricsMessage.Kind(rawValue: $0.rawValue) }
            do throws(CorewireError) {
                _ = try await corewire.perform(
                    MetricsCalls.send,
                    MetricsSendRequest(kind),
                    in: .metrics
                )
            } catch {
                // Without results of rules there is nothing to send.
                guard error.code == .noResults else { throw error }
            }
        }
    }

    /// Registered code that receives metrics; releasing this value removes it.
    public final class MetricsPublishing: Sendable {
        private let ticket: Int
        private let publisher: EmbedderMetricsPublisher

        init(_ work: @escaping EmbedderMetricsPublisher.Work, in publisher: EmbedderMetricsPublisher) {
            self.publisher = publisher
            ticket = publisher.bring(work)
        }

        deinit { publisher.remove(ticket) }
    }
}

extension Area {
    static let metrics = Area(
        section: MetricsSection.name,
        help: "add the section 'metrics' with the 'url' of a metrics service"
    )
}
