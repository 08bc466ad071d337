import { type MessageDocument, placeInTime } from '../../../schema/message.ts'

/** A month's name, or one row of its messages. */
export type MonthRow =
  | { kind: 'month'; key: string; label: string }
  | { kind: 'line'; key: string; messages: readonly MessageDocument[] }

/** The rows of messages, newest first, grouped by month. */
export function buildMonthRows(
  messages: readonly MessageDocument[],
  { columns }: { columns: number },
): MonthRow[] {
  const rows: MonthRow[] = []
  const now: { label?: string; line?: MessageDocument[] | undefined } = {}
  for (const message of messages) {
    const label = nameMonth(message)
    if (label !== now.label) {
      rows.push({ kind: 'month', key: label, label })
      now.label = label
      now.line = undefined
    }
    if (now.line === undefined || now.line.length >= columns) {
      now.line = []
      rows.push({ kind: 'line', key: message._id, messages: now.line })
    }
    now.line.push(message)
  }
  return rows
}

function nameMonth(message: MessageDocument): string {
  return new Date(placeInTime(message)).toLocaleDateString('en', { month: 'long', year: 'numeric' })
}
