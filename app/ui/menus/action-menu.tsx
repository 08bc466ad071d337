import { Content, Item, Portal, Root, Separator, Trigger } from 'radix-ui/dropdown-menu'
import { Fragment, useState } from 'react'
import { Icon } from '../icons/icon.tsx'
import { findFocusPath, focusFirst } from '../layers/find-focus-path.ts'
import { useBackLayer } from '../layers/use-back-layer.ts'
import { joinClassNames } from '../styles/join-class-names.ts'
import styles from './action-menu.module.css'
import { ignoreRestingMouse } from './ignore-resting-mouse.ts'
import type { MenuAction, MenuChoice, MenuPoint } from './menu-action.ts'
import { MenuChoiceRow } from './menu-choice-row.tsx'

export interface ActionMenuProps {
  /** The menu's name for screen readers. */
  label: string
  point: MenuPoint
  actions: readonly MenuAction[]
  choice?: MenuChoice | undefined
  /** Called when it closes, whether or not something was chosen. */
  onClose(): void
}

/** A menu that is open at a point; it takes the focus and gives it back to where it was. */
export function ActionMenu({ label, point, actions, choice, onClose }: ActionMenuProps) {
  const [returnTo] = useState(findFocusPath)
  const [mouse] = useState(ignoreRestingMouse)
  useBackLayer(true, onClose)
  return (
    // Not modal: a modal menu locks scrolling with a <style> element, which the content policy forbids.
    <Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Trigger asChild>
        <span
          className={styles.anchor}
          style={{ left: point.x, top: point.y }}
          aria-hidden="true"
        />
      </Trigger>
      <Portal>
        <Content
          className={styles.menu}
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          // Also where the window has become too small for the point.
          sticky="always"
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (document.activeElement === document.body) focusFirst(returnTo)
          }}
        >
          {choice && (
            <MenuChoiceRow
              choice={choice}
              mouse={mouse}
              beforeSelect={() => focusFirst(returnTo)}
            />
          )}
          {actions.map((action) => (
            <Fragment key={action.label}>
              {action.startsSection && <Separator className={styles.line} />}
              <Item
                {...mouse}
                className={joinClassNames(styles.item, action.isDanger && styles.danger)}
                onSelect={() => {
                  // Before the choice opens something: that gives the focus back to whoever has it now.
                  focusFirst(returnTo)
                  action.onSelect()
                }}
              >
                <Icon name={action.icon} size={20} />
                {action.label}
              </Item>
            </Fragment>
          ))}
        </Content>
      </Portal>
    </Root>
  )
}
