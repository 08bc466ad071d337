import { unreachable } from '../../../schema/unreachable.ts'
import type { Log } from '../../create-log.ts'
import type { createTemplates } from '../templates.ts'
import type { ApplyItem } from './webhook-inbox.ts'

/** Statuses of templates by the events that bring them about. */
const statusOfEvent: Record<string, string> = { REINSTATED: 'APPROVED', UNARCHIVED: 'APPROVED' }

/**
 * Puts each update where it belongs. What is for a person has nobody to go to while no operator works the number: it
 * stays kept as `unrouted`, and can be processed again.
 */
export function createItemApplier(options: {
  templates: Pick<ReturnType<typeof createTemplates>, 'noteStatus'>
  log: Log
}): ApplyItem {
  const { templates, log } = options
  return async (item) => {
    switch (item.kind) {
      case 'template': {
        const { name, language, event } = item
        templates.noteStatus({ name, language, status: statusOfEvent[event] ?? event })
        return { outcome: 'applied' }
      }
      case 'problem': {
        const { code, title, details, phoneNumberId } = item
        log.error({ code, title, details, phoneNumberId }, 'WhatsApp tells of a problem')
        return { outcome: 'applied' }
      }
      case 'message':
      case 'echo':
      case 'status':
        return { outcome: 'unrouted' }
      default:
        return unreachable(item)
    }
  }
}
