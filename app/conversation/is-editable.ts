import type { MessageDocument } from '../../schema/message.ts'

/** Can the author still change what it says? */
export function isEditable({ type, deletedAt }: MessageDocument): boolean {
  return type === 'text' && deletedAt === undefined
}
