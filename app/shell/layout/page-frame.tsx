import type { ReactNode } from 'react'
import { useLivePart } from '../../ui/hooks/use-live-value.ts'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { useShellActions } from '../main-menu/use-shell-actions.tsx'
import { DocumentTitle } from '../navigation/page-title.tsx'
import { Rail, type RailSection } from '../navigation/rail.tsx'
import { countUnreadChats } from '../navigation/use-unread-total.ts'
import { phoneScreen } from '../screen/narrow-screen.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import styles from './page-frame.module.css'

interface PageFrameProps {
  section: RailSection
  title: string
  children: ReactNode
}

/** A signed-in page other than the chat: beside the rail, or alone on a phone. */
export function PageFrame({ section, title, children }: PageFrameProps) {
  const isPhone = useMediaQuery(phoneScreen)
  const shell = useShellActions()
  const unreadChats = useLivePart(useMessenger().conversations, countUnreadChats)
  return (
    <div className={styles.frame}>
      <DocumentTitle page={title} />
      {!isPhone && <Rail section={section} actions={shell.actions} unreadChats={unreadChats} />}
      <main className={styles.main}>{children}</main>
      {shell.dialog}
    </div>
  )
}
