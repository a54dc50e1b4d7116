import WireBase
import WireDownloadContract
import WireHTTP

// The operations of downloads, for the local API and for code in the same process.

extension DownloadsPart: RouteGroup {
    static let table: [RouteEntry<DownloadsPart>] = [
        .call(DownloadCalls.list, atOnce: DownloadsPart.list),
        .call(DownloadCalls.add, by: DownloadsPart.add),
        .call(DownloadCalls.show, by: DownloadsPart.show, orStreaming: DownloadsPart.stream).inline,
        .call(DownloadCalls.remove, by: DownloadsPart.remove),
        .call(DownloadCalls.pause, by: DownloadsPart.pause),
        .call(DownloadCalls.resume, by: DownloadsPart.resume),
    ]

    // MARK: Reading

    private func list(
        _ request: APIRequest<DownloadListRequest>
    ) throws(DownloadFailure) -> APIReply<DownloadPage> {
        let limit = request.limit ?? 100
        var found = all
        if let state = request.state { found = found.filter { $0.state == state } }
        // If the download after which to continue is gone, the list begins again.
        if let after = request.after, let index = found.firstIndex(where: { $0.id == after }) {
            found = Array(found[(index + 1)...])
        }
        let page = Array(found.prefix(limit))
        return APIReply(DownloadPage(page, next: found.count > limit ? page.last?.id : nil))
    }

    private func show(_ request: APIRequest<DownloadID>) throws(DownloadFailure) -> APIReply<Download> {
        APIReply(try known(request.id))
    }

    private func stream(_ request: APIRequest<DownloadID>) throws(DownloadFailure) -> Response {
        _ = try known(request.id)
        return DownloadStream(self, request.id).response()
    }

    // MARK: Changing

    private func add(_ request: APIRequest<NewDownload>) async throws(DownloadFailure) -> APIReply<Download> {
        var newDownload = request.input
        newDownload.tokenRights = request.rights.tokens
        let (download, isNew) = try await want(newDownload)
        return isNew
            ? APIReply(download, .created, fields: ["Location": "/v1/downloads/\(download.id)"]) : APIReply(download)
    }

    private func remove(_ request: APIRequest<DownloadRemoval>) async throws(DownloadFailure) -> APIReply<Nothing> {
        guard try await remove(request.id, withFile: request.withFile) else { throw unknown(request.id) }
        return .done
    }

    private func pause(_ request: APIRequest<DownloadID>) async throws(DownloadFailure) -> APIReply<Download> {
        try await pause(request.id)
        return APIReply(try known(request.id))
    }

    private func resume(_ request: APIRequest<DownloadID>) async throws(DownloadFailure) -> APIReply<Download> {
        try await resume(request.id)
        return APIReply(try known(request.id))
    }

    private func known(_ id: String) throws(DownloadFailure) -> Download {
        guard let download = find(id) else { throw unknown(id) }
        return download
    }

    private func unknown(_ id: String) -> DownloadFailure {
        DownloadFailure(.noSuchDownload, "unknown download \(id.quoted)")
    }
}
