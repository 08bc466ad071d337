import type { Inbox } from '../../database/inbox/inbox.ts'
import type { CommandContext } from '../../database/storage/command-context.ts'
import { takeCommands } from './take-commands.ts'
import { takePeople } from './take-people.ts'

/**
 * Takes in new people and carries out what waits in the inbox, one run after the other: two at once would do the same twice.
 * What is about a message that has not arrived is tried again at each change of the list.
 */
export function createCommandTaker(options: {
  inbox: Inbox
  context: CommandContext
  list: { subscribe(listener: () => void): () => void }
  onError: (error: unknown) => void
}) {
  const { inbox, context, list, onError } = options
  const state = { isWaiting: false, isClosed: false, taking: Promise.resolve() }

  async function run() {
    if (state.isClosed) return
    await takePeople({ inbox, people: context.database.device.people }).catch(onError)
    state.isWaiting = (await takeCommands({ inbox, context, onError })) > 0
  }

  function take(): Promise<void> {
    state.taking = state.taking.then(run).catch(onError)
    return state.taking
  }

  const stopListening = list.subscribe(() => {
    if (state.isWaiting) void take()
  })

  return {
    take,
    async close() {
      state.isClosed = true
      stopListening()
      await state.taking
    },
  }
}
