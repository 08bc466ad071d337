import { lazy, Suspense, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { Icon } from '../../ui/icons/icon.tsx'
import { findFocusPath } from '../../ui/layers/find-focus-path.ts'
import styles from './chat-search-bar.module.css'
import type { ChatSearchBarProps } from './chat-search-bar.tsx'

const ChatSearchBar = lazy(() =>
  import('./chat-search-bar.tsx').then((module) => ({ default: module.ChatSearchBar })),
)

/**
 * The search bar of a chat. Its field is there at once and takes the focus: what is typed while the
 * rest loads is searched then, and never lands in the composer.
 */
export function ChatSearch(props: Omit<ChatSearchBarProps, 'readTyped' | 'returnTo'>) {
  const [returnTo] = useState(findFocusPath)
  const typed = useRef('')
  return (
    <Suspense
      fallback={
        <EarlyField
          onType={(text) => {
            typed.current = text
          }}
          onClose={props.onClose}
        />
      }
    >
      <ChatSearchBar {...props} returnTo={returnTo} readTyped={() => typed.current} />
    </Suspense>
  )
}

function EarlyField({ onType, onClose }: { onType(text: string): void; onClose(): void }) {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  return (
    <search className={styles.bar}>
      <div className={styles.box}>
        <Icon name="search" size={18} />
        <input
          ref={field}
          type="search"
          placeholder="Search in this chat"
          aria-label="Search in this chat"
          autoComplete="off"
          onChange={(event) => onType(event.target.value)}
        />
      </div>
      <IconButton icon="up" label="Next result (F3)" disabled />
      <IconButton icon="chevron" label="Previous result (Shift+F3)" disabled />
      <IconButton icon="close" label="Close search" onClick={onClose} />
    </search>
  )
}
