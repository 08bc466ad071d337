import { useEffect, useState } from 'react'
import type { WhatsAppTemplate } from '../../../schema/api/whatsapp-template.ts'
import { keepTemplates, readKeptTemplates } from './kept-templates.ts'

/** The device's templates immediately, and the server's when they arrive (P10). */
export function useTemplates(
  userId: string,
  listTemplates: () => Promise<readonly WhatsAppTemplate[]>,
): readonly WhatsAppTemplate[] {
  const [templates, setTemplates] = useState(() => readKeptTemplates(localStorage, userId))
  useEffect(() => {
    const watch = { isOver: false }
    const take = (listed: readonly WhatsAppTemplate[]) => {
      keepTemplates(localStorage, userId, listed)
      if (!watch.isOver) setTemplates(listed)
    }
    // Without an answer the stored ones stay in use: a refusal will show an outdated one.
    listTemplates().then(take, () => {})
    return () => {
      watch.isOver = true
    }
  }, [userId, listTemplates])
  return templates
}
