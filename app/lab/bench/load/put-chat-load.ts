import { fork } from 'node:child_process'
import { on, once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LoadNews, LoadOrder, LoadWord } from './load-orders.ts'

const program = fileURLToPath(new URL('load-program.ts', import.meta.url))

/** A server's own counters since its start; the floors have fewer. */
export interface ServerCounts {
  processorSeconds: number
  syncedWrites?: number
  keysWritten?: number
}

export interface ChatLoad {
  tookMs: readonly number[]
  forMs: number
  /** The devices' requests over HTTP. */
  requests: number
  frames: number
  server: Required<ServerCounts>
}

/**
 * Makes the load in a separate process.
 * @param readCounts read when the measurement begins and when it ends
 * @throws Error when a message is refused or lost
 */
export async function putChatLoad(
  order: LoadOrder,
  readCounts: () => Promise<ServerCounts>,
): Promise<ChatLoad> {
  const child = fork(program, { execArgv: ['--import', 'tsx'] })
  const exited = once(child, 'exit')
  const tell = (word: LoadWord) => child.send(word)
  try {
    child.send(order)
    const counts: ServerCounts[] = []
    for await (const [news] of on(child, 'message', { close: ['exit'] }) as AsyncIterable<
      [LoadNews]
    >) {
      switch (news.kind) {
        case 'failed':
          throw new Error(news.why)
        case 'warm':
        case 'due':
          counts.push(await readCounts())
          tell({ kind: news.kind === 'warm' ? 'measure' : 'end' })
          break
        case 'over': {
          const { kind: _, ...load } = news
          return { ...load, server: subtract(counts[0], counts[1]) }
        }
      }
    }
    throw new Error('The process that makes the load has ended.')
  } finally {
    child.kill()
    await exited
  }
}

function subtract(before: ServerCounts | undefined, after: ServerCounts | undefined) {
  const grown = (name: keyof ServerCounts) => (after?.[name] ?? 0) - (before?.[name] ?? 0)
  return {
    processorSeconds: grown('processorSeconds'),
    syncedWrites: grown('syncedWrites'),
    keysWritten: grown('keysWritten'),
  }
}
