import type { ServerLink } from '../cluster/server-link.ts'
import type { Storage } from '../storage/storage.ts'
import type { Levels } from './read-levels.ts'

interface Counted {
  count(): number
}

/** The current size of this server's queues and pools. */
export function listLevels(parts: {
  storage: Storage
  sockets: Counted
  pollers: Counted
  presence: { countOnline(): number }
  presenceCounts: Readonly<Record<'lists' | 'frames' | 'bytes', number>>
  countPushes: () => number
  link: ServerLink | undefined
  lines: { countLost(): number }
}): Levels {
  const { storage, sockets, pollers, presence, presenceCounts, countPushes, link, lines } = parts
  return {
    gauges: {
      petrel_sockets: { help: 'Connected WebSockets.', read: sockets.count },
      petrel_pollers: { help: 'Devices that poll in place of a socket.', read: pollers.count },
      petrel_people_online: {
        help: 'People who are online, with any server.',
        read: () => presence.countOnline(),
      },
      petrel_waiting_feeds: {
        help: 'Requests for changes that wait for news and hold no database.',
        read: () => storage.signals.countWaiting(),
      },
      petrel_open_databases: { help: 'Open databases.', read: () => storage.stats().open },
      petrel_databases_in_use: {
        help: 'Databases that are read or written now.',
        read: () => storage.stats().inUse,
      },
      petrel_write_queue: {
        help: 'Updates that wait for the write before them.',
        read: () => storage.stats().queuedUpdates,
      },
      ...(link && {
        petrel_linked: {
          help: '1 while the servers hear each other through Redis.',
          read: () => Number(link.isUp()),
        },
      }),
    },
    counters: {
      petrel_synced_writes_total: {
        help: 'Writes that have waited for the disk.',
        read: () => storage.stats().syncedWrites,
      },
      petrel_keys_written_total: {
        help: 'Keys written to LevelDB.',
        read: () => storage.stats().keysWritten,
      },
      petrel_log_lines_lost_total: {
        help: 'Lines of the log that could not be written.',
        read: lines.countLost,
      },
      petrel_line_pushes_total: {
        help: 'Pushes of documents over a socket; those over HTTP are requests.',
        read: countPushes,
      },
      petrel_presence_lists_total: {
        help: 'Lists of who is online that were put together.',
        read: () => presenceCounts.lists,
      },
      petrel_presence_frames_total: {
        help: 'Frames that told somebody who is online.',
        read: () => presenceCounts.frames,
      },
      petrel_presence_bytes_total: {
        help: 'Bytes of those frames.',
        read: () => presenceCounts.bytes,
      },
    },
  }
}
