// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Glibc

/// The temporary file of a download task, which has no owner once the task's handler returns.
enum DownloadedFile {
    /// Moves the file by `rename(2)`, or copies it between file systems, and returns its size in bytes.
    ///
    /// - Throws: `URLError.cannotMoveFile`, with the system's reason as underlying error.
    static func move(_ source: URL, to destination: URL) throws(URLError) -> Int {
        if rename(source.path, destination.path) != 0 {
            guard errno == EXDEV else { throw failure(errno) }
            try copy(source, to: destination)
        }
        // Not `stat`: with MemberImportVisibility its structure belongs to whichever module has read the C header first.
        let descriptor = open(destination.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0 else { throw failure(errno) }
        return Int(size)
    }

    /// Copies beside the destination first, so that a partial file is never found there.
    private static func copy(_ source: URL, to destination: URL) throws(URLError) {
        let partial = destination.path + ".partial"
        unlink(partial)
        do {
            try FileManager.default.copyItem(atPath: source.path, toPath: partial)
        } catch {
            unlink(partial)
            throw failure(Self.code(of: error), error)
        }
        guard rename(partial, destination.path) == 0 else {
            let code = errno
            unlink(partial)
            throw failure(code)
        }
    }

    /// Returns the system's reason for an error of FileManager.
    private static func code(of error: any Error) -> Int32 {
        let beneath = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError
        if let beneath { return beneath.code.rawValue }
        return switch (error as? CocoaError)?.code {
        case .fileWriteOutOfSpace: ENOSPC
        case .fileWriteVolumeReadOnly: EROFS
        default: EIO
        }
    }

    private static func failure(_ code: Int32, _ underlying: (any Error)? = nil) -> URLError {
        let reason = POSIXErrorCode(rawValue: code).map { POSIXError($0) as any Error }
        return URLError(
            .cannotMoveFile,
            userInfo: [
                NSLocalizedDescriptionKey:
                    "the downloaded file cannot be moved to its place: \(String(cString: strerror(code)))",
                NSUnderlyingErrorKey: underlying ?? reason ?? URLError(.unknown),
            ])
    }
}
