import { useEffect, useState } from 'react'
import type { WhatsAppTemplate } from '../../../schema/api/whatsapp-template.ts'
import { keepTemplates, readKeptTemplates } from './kept-templates.ts'

/** The templates that the device knows at once, and the server's when they come (P10). */
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
    // Without an answer those of before go on being used: that they are old is seen when one is refused.
    listTemplates().then(take, () => {})
    return () => {
      watch.isOver = true
    }
  }, [userId, listTemplates])
  return templates
}
