import WireConfig

/// A page of instances or modules, each as the server wrote it.
package struct ContentPage: Sendable {
    /// The bytes of each.
    package var items: [[UInt8]]
    package var page: Int
    package var limit: Int
    package var totalItems: Int

    package init(items: [[UInt8]], page: Int, limit: Int, totalItems: Int) {
        (self.items, self.page, self.limit, self.totalItems) = (items, page, max(1, limit), totalItems)
    }

    package var totalPages: Int { totalItems == 0 ? 0 : (totalItems - 1) / limit + 1 }

    /// How many are before the first; as much as there can be for a page that is far beyond all.
    package var offset: Int {
        let (offset, isBeyond) = (page - 1).multipliedReportingOverflow(by: limit)
        return isBeyond ? .max : offset
    }

    /// As the server has it: `{"pagination": …, "items": […]}`.
    package var bytes: [UInt8] {
        let pagination = JSONValue.members([
            "page": .integer(page), "limit": .integer(limit), "offset": .integer(offset),
            "totalItems": .integer(totalItems), "totalPages": .integer(totalPages),
        ])
        var bytes = Array("{\"pagination\":\(pagination.text()),\"items\":[".utf8)
        bytes.reserveCapacity(bytes.count + items.reduce(8) { $0 + $1.count + 1 })
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += item
        }
        bytes += "]}".utf8
        return bytes
    }
}
