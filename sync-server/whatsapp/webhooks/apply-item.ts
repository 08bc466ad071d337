import { unreachable } from '../../../schema/helpers/unreachable.ts'
import type { Log } from '../../lib/log.ts'
import type { createTemplates } from '../templates/templates.ts'
import { createMessageApplier } from './apply-message.ts'
import { createStatusApplier } from './apply-status.ts'
import type { ApplyTools } from './apply-tools.ts'
import type { ApplyItem } from './webhook-inbox.ts'

/** Template statuses by the events that cause them; other events leave the status as it is. */
const statusOfEvent: Record<string, string> = {
  REINSTATED: 'APPROVED',
  UNARCHIVED: 'APPROVED',
  ...Object.fromEntries(
    [
      ...['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED', 'IN_APPEAL'],
      ...['PENDING_DELETION', 'DELETED', 'LIMIT_EXCEEDED', 'ARCHIVED'],
    ].map((status) => [status, status]),
  ),
}

/** Applies each update. Keeps one without an operator as `unrouted`, to reprocess later. */
export function createItemApplier(options: {
  tools: ApplyTools
  templates: Pick<ReturnType<typeof createTemplates>, 'noteStatus' | 'forget'>
  log: Log
}): ApplyItem {
  const { tools, templates, log } = options
  const { applyMessage, applyEcho } = createMessageApplier(tools)
  const { applyStatus } = createStatusApplier(tools)
  return async (item) => {
    switch (item.kind) {
      case 'template': {
        const { name, language, event } = item
        const status = statusOfEvent[event]
        if (status) templates.noteStatus({ name, language, status })
        else templates.forget()
        return { outcome: 'applied' }
      }
      case 'problem': {
        const { code, title, details, phoneNumberId } = item
        log.error({ code, title, details, phoneNumberId }, 'WhatsApp tells of a problem')
        return { outcome: 'applied' }
      }
      case 'message':
        return await applyMessage(item)
      case 'echo':
        return await applyEcho(item)
      case 'status':
        return await applyStatus(item)
      default:
        return unreachable(item)
    }
  }
}
