import { expect, test } from 'vitest'
import { type Choice, findFailure } from '../kit/histories.ts'
import { createTodosServer, openHandlerTodos, type Way } from './rxdb-handlers.ts'

const lists = {
  seeds: [1, 2, 3],
  steps: 12,
  patienceMs: 300,
  actionMs: 20_000,
  settlesSteps: true,
  // Asking for news is a POST here, and never ends.
  isWrite: ({ path, text = '' }: { path: string; text: string | undefined }) =>
    path.endsWith('/push') || text.includes('Push'),
  serve: createTodosServer,
  actions: {
    add: (app: Awaited<ReturnType<typeof openHandlerTodos>>, { id }: Choice) => app.add(id, 'milk'),
  },
}

test.each<Way>(['own handlers', 'GraphQL'])(
  'a list on RxDB with %s keeps everything, whatever the network does',
  { timeout: 400_000 },
  async (way) => {
    const open = (world: Parameters<typeof openHandlerTodos>[0]) => openHandlerTodos(world, { way })
    expect(await findFailure({ ...lists, patienceMs: 3_000, open })).toBeUndefined()
  },
)

test('handlers that take every answer for a yes lose what the server refused', {
  timeout: 400_000,
}, async () => {
  const failure = await findFailure({
    ...lists,
    open: (world) => openHandlerTodos(world, { way: 'own handlers', trustsStatus: false }),
  })
  expect(failure?.broken.join()).toMatch(/is lost on/)
  expect(failure?.steps.length).toBeLessThanOrEqual(6)
})
