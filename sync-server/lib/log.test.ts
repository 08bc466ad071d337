import { describe, expect, it } from 'vitest'
import { createLog } from './log.ts'

describe('log', () => {
  it('removes secrets and message texts at every depth', () => {
    const lines: string[] = []
    const log = createLog('info', { write: (line) => void lines.push(line) })
    log.info({
      password: 'hunter2',
      request: {
        headers: { authorization: 'Bearer hunter2', 'sec-websocket-protocol': 'bearer.hunter2' },
      },
      body: { currentPassword: 'hunter2', content: 'hunter2', user: { token: 'hunter2' } },
      userId: 'ann',
    })
    expect(lines.join()).not.toContain('hunter2')
    expect(lines.join()).toContain('ann')
  })
})
